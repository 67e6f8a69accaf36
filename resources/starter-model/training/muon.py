"""The Muon optimizer (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/), batched.

Matrices of the same shape are orthogonalized together.  The update is scaled by
0.2 sqrt(largest side), so that its RMS matches Adam's (Liu et al. 2025, arXiv:2502.16982).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch

NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)
NEWTON_SCHULZ_STEPS = 5


def orthogonalized(stack: torch.Tensor) -> torch.Tensor:
    """[n, rows, columns] -> nearly orthogonal matrices of the same shape (singular values ~ 1)."""
    a, b, c = NEWTON_SCHULZ
    x = stack.bfloat16()
    tall = x.shape[1] > x.shape[2]
    if tall:
        x = x.transpose(1, 2)
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(NEWTON_SCHULZ_STEPS):
        gram = x @ x.transpose(1, 2)
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.transpose(1, 2) if tall else x


class Muon(torch.optim.Optimizer):
    """Muon with Nesterov momentum and decoupled weight decay, for weights of two or more axes."""

    def __init__(
        self,
        parameters: Iterable[torch.nn.Parameter],
        lr: float,
        momentum: float = 0.95,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(
            list(parameters), {"lr": lr, "momentum": momentum, "weight_decay": weight_decay}
        )

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        assert closure is None
        for group in self.param_groups:
            by_shape: dict[tuple[int, int], list[tuple[torch.nn.Parameter, torch.Tensor]]]
            by_shape = defaultdict(list)
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if "momentum" not in state:
                    state["momentum"] = torch.zeros_like(parameter)
                state["momentum"].lerp_(parameter.grad, 1 - group["momentum"])
                update = parameter.grad.lerp(state["momentum"], group["momentum"])
                shape = (parameter.shape[0], parameter[0].numel())
                by_shape[shape].append((parameter, update))
            for shape, pairs in by_shape.items():
                stack = torch.stack([update.reshape(shape) for _, update in pairs])
                updates = orthogonalized(stack).to(stack.dtype).contiguous().unbind(0)
                parameters = [parameter for parameter, _ in pairs]
                torch._foreach_mul_(parameters, 1 - group["lr"] * group["weight_decay"])
                torch._foreach_add_(
                    parameters,
                    [u.view(p.shape) for u, p in zip(updates, parameters, strict=True)],
                    alpha=-0.2 * max(shape) ** 0.5 * group["lr"],
                )
