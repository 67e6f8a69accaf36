"""ERNIE-Image's networks, one file each, written in the operations of `engine.ops` only."""
