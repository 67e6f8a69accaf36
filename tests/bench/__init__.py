"""Benchmarks: ratios against the reference, measured in one run, interleaved; never assertions."""
