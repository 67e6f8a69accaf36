"""One process per GPU: who am I, average the gradients, agree on the clock.

Works without torchrun (one process) and on the CPU (gloo), so that a dry run is the same program.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass(frozen=True, slots=True)
class Ranks:
    """This process's rank, the number of processes and the device it computes on."""

    rank: int
    count: int
    device: str

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def average_gradients(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Replaces every gradient by its mean over all processes."""
        if self.count == 1:
            return
        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = torch.cat([g.flatten() for g in gradients])
        dist.all_reduce(flat)
        flat /= self.count
        torch._foreach_copy_(
            gradients,
            [
                part.view_as(g)
                for part, g in zip(
                    flat.split([g.numel() for g in gradients]), gradients, strict=True
                )
            ],
        )

    def agreed(self, value: float) -> float:
        """The first process's value, in every process."""
        if self.count == 1:
            return value
        shared = torch.tensor([value], dtype=torch.float64, device=self.device)
        dist.broadcast(shared, 0)
        return shared.item()

    def wait_for_all(self) -> None:
        if self.count > 1:
            dist.barrier()


def start_ranks(on_cpu: bool) -> Ranks:
    """Joins the processes that torchrun started; alone when there is no torchrun."""
    rank, count = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    device = "cpu" if on_cpu else f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
    if not on_cpu:
        torch.cuda.set_device(device)
    if count > 1:
        dist.init_process_group("gloo" if on_cpu else "nccl")
    return Ranks(rank, count, device)
