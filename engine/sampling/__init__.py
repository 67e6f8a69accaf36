"""Sampling: from noise to a clean latent, as arithmetic on arrays and nothing else.

One idea per module: where the sampler steps (`schedule`), how it steps (`euler`, `dpm_solver`),
what guidance does to the prediction (`guidance`) and what it starts from (`noise`). Nothing here
knows of networks, devices, progress or cancelling: samplers are generators, and whoever iterates
them owns those. Separate so that every line can be checked against closed-form solutions.

The formulas use the papers' letters: `x` is the noisy latent, `sigma` its noise level. In the flow
form of ERNIE-Image x = (1 - sigma) * denoised + sigma * noise, and the network predicts the
velocity dx/dsigma = noise - denoised.
"""
