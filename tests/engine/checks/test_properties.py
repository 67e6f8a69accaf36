"""Machines taken to pieces: whatever is removed, garbled or made absurd, nothing breaks.

No exception, no crashed row, no pass that was not earned, and a gate never more open than the
whole machine's own.
"""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.checks import choice, facts, gate, judge, rules
from engine.checks.decisions import Decision
from engine.checks.snapshot import Process, Snapshot
from engine.port import Gate, SelfTestResult, Verdict
from tests.fakes.machines import CARD, HEALTHY, NAMES, healthy, recorded_machine, resource

MACHINES = {"healthy": HEALTHY, **{name: recorded_machine(name) for name in NAMES}}
REPORTS = {name: judge.judge(machine) for name, machine in MACHINES.items()}
OPENNESS = (Gate.BLOCKED, Gate.NEEDS_SELFTEST, Gate.NEEDS_ACKNOWLEDGEMENT, Gate.OPEN)

GARBAGE = (b"", b"\0", b"\xff\xfe\x00" * 90, b"{" * 500, b"0x", b"\n" * 99, b"nan", b"-" * 40)
ABSURD = ("0", "-1", "1", "4294967296", "18446744073709551615", "9" * 30, "1e400")

CONDITIONAL = {("gpu.firmware", "21-7900xtx-atomics-494-509"),
               ("gpu.firmware", "19-navi32-sdma-firmware-missing")}  # fmt: skip
"""The driver runs these cards, which is what a pass says; only the log knows more."""


def absurd(text: str, chance: random.Random) -> str:
    """Some or all numbers replaced."""
    count = chance.choice([1, 0])
    return re.sub(r"\d+", lambda _: chance.choice(ABSURD), text, count=count)


def damaged(machine: Snapshot, chance: random.Random) -> Snapshot:
    files, nodes = dict(machine.files), dict(machine.nodes)
    commands, process = dict(machine.commands), machine.process
    for _ in range(chance.randint(1, 8)):
        part = chance.choice([files, files, commands, nodes])
        if not part:
            continue
        name = chance.choice(sorted(part))
        action = chance.randrange(3)
        if part is nodes or action == 0:
            del part[name]
        elif part is files:
            old = files[name].decode("utf-8", errors="replace")
            files[name] = absurd(old, chance).encode() if action == 1 else chance.choice(GARBAGE)
        else:
            old = commands[name]
            new = chance.choice(GARBAGE).decode("utf-8", errors="replace")
            commands[name] = absurd(old, chance) if action == 1 else new
    if chance.randrange(6) == 0:
        process = Process()
    return Snapshot(files=files, nodes=nodes, process=process, commands=commands)


@settings(max_examples=150)
@given(name=st.sampled_from(sorted(MACHINES)), seed=st.integers(0, 2**32))
def test_a_damaged_machine(name, seed):
    report = judge.judge(damaged(MACHINES[name], random.Random(seed)))
    assert [row.id for row in report.checks if row.verdict is Verdict.CRASHED] == []
    assert report.gate in (Gate.BLOCKED, Gate.NEEDS_SELFTEST)
    for row in report.checks:
        assert "{" not in str(row.summary) or row.id in ("kernel.cmdline", "gpu.firmware")
    earned = {row.id for row in REPORTS[name].checks if row.verdict is Verdict.PASS}
    passed = {row.id for row in report.checks if row.verdict is Verdict.PASS}
    unearned = {check for check in passed - earned if (check, name) not in CONDITIONAL}
    assert unearned == set()


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_one_thing_after_the_other_removed(name):
    machine = MACHINES[name]
    for path in machine.files:
        rest = {p: c for p, c in machine.files.items() if p != path}
        judge.judge(Snapshot(files=rest, nodes=machine.nodes, process=machine.process,
                             commands=machine.commands))  # fmt: skip
    for command in machine.commands:
        rest = {n: t for n, t in machine.commands.items() if n != command}
        report = judge.judge(Snapshot(files=machine.files, nodes=machine.nodes,
                                      process=machine.process, commands=rest))  # fmt: skip
        assert report.gate in (Gate.BLOCKED, Gate.NEEDS_SELFTEST)


def gate_after_selftest(machine: Snapshot, proved: dict[str, str]) -> Gate:
    """The gate where the self-test has passed for one combination, and nothing was acknowledged."""
    found = facts.gather(machine)
    rows = rules.judge(found)
    chosen = choice.choose(found, rows)
    combined = gate.combination(found, chosen.chosen)
    passed = SelfTestResult(verdict=Verdict.PASS, finished="", combination=proved)
    decision = Decision(combination=combined)
    if combined == proved:
        decision = Decision(combination=combined, selftest=passed, warned=("pcie.rebar",))
    return gate.decide(rows, chosen, combined, decision, None).gate


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_damage_never_opens_the_gate_of_a_proved_machine(seed):
    small = {
        f"{CARD}/mem_info_vis_vram_total": str(2**28),
        f"{CARD}/resource": resource(0x7000000000, 2**28),
    }
    machine = healthy(files=small)
    found = facts.gather(machine)
    proved = gate.combination(found, "0000:03:00.0")
    whole = gate_after_selftest(machine, proved)
    assert whole is Gate.NEEDS_ACKNOWLEDGEMENT
    after = gate_after_selftest(damaged(machine, random.Random(seed)), proved)
    assert OPENNESS.index(after) <= OPENNESS.index(whole)
