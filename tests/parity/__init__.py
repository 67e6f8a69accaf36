"""Our networks against diffusers and transformers: same weights, same inputs, close outputs.

Two environments take part, because PaddlePaddle and torch do not share one: `make_golden` runs in
the reference environment and writes cases, `test_networks` reads them in ours. What both import,
`cases` and `random_tensors`, needs NumPy only.
"""
