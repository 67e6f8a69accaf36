"""Classifier-free guidance: how far the prediction leans towards the prompt."""

from __future__ import annotations

from engine.sampling.step import Array, Velocities, Velocity


def guided(cond: Array, uncond: Array, guidance_scale: float) -> Array:
    """The guided prediction uncond + guidance_scale * (cond - uncond); shape and dtype stay.

    `cond` is the prediction for the prompt, `uncond` the one for the negative prompt (Ho and
    Salimans 2022, "Classifier-Free Diffusion Guidance"). At a scale of 1 this is `cond`, and the
    caller saves the second evaluation.
    """
    return uncond + guidance_scale * (cond - uncond)


def guided_velocity(velocities: Velocities, guidance_scale: float) -> Velocity:
    """What a sampler integrates: the guided prediction, or the only one where there is one text.

    `velocities` predicts for the prompt first, then for the negative prompt.
    """

    def velocity(x: Array, sigma: float) -> Array:
        cond, *rest = velocities(x, sigma)
        return guided(cond, rest[0], guidance_scale) if rest else cond

    return velocity
