"""ROCm, PaddlePaddle, variables: what each fact alone does to a healthy machine."""

from __future__ import annotations

import json

import pytest

from engine.checks.snapshot import Node
from engine.port import Verdict
from tests.fakes.machines import (
    CARD,
    KFD_NODE,
    PADDLE,
    healthy,
    row,
    verdict,
)


@pytest.mark.parametrize(
    ("version", "expected"), [("7.1.1", "pass"), ("6.4.1-83", "pass"), ("6.3.2", "warn")]
)
def test_rocm_version(version, expected):
    files = {"/opt/rocm/.info/version": version}
    assert verdict(healthy(files=files), "rocm.install") == expected


def nowhere() -> dict[str, Node]:
    folders = ("/usr/lib64", "/usr/lib", "/usr/lib/x86_64-linux-gnu", "/opt")
    return {folder: Node(type="dir", is_complete=True) for folder in folders}


def test_no_rocm_anywhere_blocks():
    snapshot = healthy(files={"/opt/rocm/.info/version": None}, nodes=nowhere())
    assert verdict(snapshot, "rocm.install") == "fail"


def test_rocm_of_the_distribution_and_in_the_wheel():
    nodes = {**nowhere(), "/usr/lib/libamdhip64.so.7": Node(type="link")}
    files = {"/opt/rocm/.info/version": None}
    assert verdict(healthy(files=files, nodes=nodes), "rocm.install") == "pass"
    bundled = {"paddle.json": json.dumps(PADDLE | {"bundles_rocm": True})}
    snapshot = healthy(files=files, nodes=nowhere(), commands=bundled)
    assert verdict(snapshot, "rocm.install") == "warn"


@pytest.mark.parametrize(
    ("gfx", "env", "expected"),
    [
        (["gfx1201"], {}, "pass"),
        (["gfx906"], {}, "fail"),
        (["gfx1200"], {"HSA_OVERRIDE_GFX_VERSION": "12.0.0"}, "warn"),
    ],
)
def test_kernels_for_this_gpu(gfx, env, expected):
    commands = {"paddle.json": json.dumps(PADDLE | {"gfx": gfx})}
    assert verdict(healthy(commands=commands, env=env), "rocm.arch") == expected


def test_rocblas_without_this_gpu():
    folder = "/opt/rocm/lib/rocblas/library"
    nodes = {
        folder: Node(type="dir", is_complete=True),
        f"{folder}/TensileLibrary_lazy_gfx1100.dat": Node(type="file"),
    }
    assert verdict(healthy(nodes=nodes), "rocm.arch") == "fail"


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({}, "pass"),
        ({"HIP_VISIBLE_DEVICES": "0"}, "pass"),
        ({"HIP_VISIBLE_DEVICES": ""}, "fail"),
        ({"HIP_VISIBLE_DEVICES": "-1"}, "fail"),
        ({"ROCR_VISIBLE_DEVICES": "5"}, "fail"),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, "fail"),
        ({"HSA_OVERRIDE_GFX_VERSION": "12.0.1"}, "fail"),  # it has kernels of its own
        ({"HSA_OVERRIDE_GFX_VERSION": "1030"}, "fail"),
        ({"HSA_OVERRIDE_GFX_VERSION_0": "11.0.0"}, "fail"),
        ({"LD_LIBRARY_PATH": "/usr/local/cuda-12/lib64"}, "warn"),
        ({"LD_LIBRARY_PATH": "/opt/rocm-6.2.0/lib:/opt/rocm-7.0.0/lib"}, "warn"),
        ({"HSA_ENABLE_SDMA": "0"}, "pass"),
        (None, "unknown"),
    ],
)
def test_environment(env, expected):
    assert verdict(healthy(env=env), "env.vars") == expected


@pytest.mark.parametrize(
    ("target", "value", "expected"),
    [
        (100301, "10.3.0", "warn"),
        (100302, "10.3.0", "warn"),
        (110003, "11.0.0", "warn"),
        (100102, "10.3.0", "fail"),
        (110501, "11.0.0", "fail"),
        (110000, "11.0.0", "fail"),  # native: nothing to override
        (90402, "11.0.0", "fail"),
    ],
)
def test_override(target, value, expected):
    text = f"simd_count 80\nsimd_per_cu 2\ngfx_target_version {target}\nlocation_id 768"
    files = {f"{KFD_NODE}/properties": text, f"{CARD}/device": "0x7fff"}
    snapshot = healthy(
        files=files, env={"HSA_OVERRIDE_GFX_VERSION": value}, commands={"paddle.json": None}
    )
    assert verdict(snapshot, "env.vars") == expected


def test_a_root_that_is_not_there():
    nodes = {**nowhere(), "/opt/rocm-6.4": Node(type="absent")}
    assert verdict(healthy(nodes=nodes, env={"ROCM_PATH": "/opt/rocm-6.4"}), "env.vars") == "warn"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (PADDLE, "pass"),
        (PADDLE | {"is_compiled_with_rocm": False}, "fail"),
        (PADDLE | {"is_compiled_with_rocm": False, "is_compiled_with_cuda": True}, "fail"),
        ({"error": "ImportError: libcudart.so.12: cannot open shared object file"}, "fail"),
        ({"error": "ModuleNotFoundError: No module named 'paddle'"}, "fail"),
        ({}, "unknown"),
    ],
)
def test_paddle(answer, expected):
    snapshot = healthy(commands={"paddle.json": json.dumps(answer)})
    assert verdict(snapshot, "paddle.build") == expected


def test_paddlenlp_is_told_and_never_judged():
    broken = PADDLE | {"paddlenlp_error": "ImportError: cannot import name 'X'"}
    found = row(healthy(commands={"paddle.json": json.dumps(broken)}), "paddle.nlp")
    assert found.verdict is Verdict.INFO
    assert "cannot import name" in str(found.measured)
