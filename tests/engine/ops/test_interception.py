"""The seam under the operations: what an interceptor sees, and what it never misses."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from engine import ops
from engine.ops import arrays, blocked_attention, feature_maps

ONES = np.ones((2, 4), np.float32)


def test_an_interceptor_sees_each_call_once_and_may_change_it():
    seen = []

    def double(function, args, kwargs):
        seen.append(function.__name__)
        return function(*args, **kwargs) * 2

    x = ops.from_numpy(ONES)
    with ops.intercept(double):
        y = ops.silu(x)
    assert seen == ["silu"]
    np.testing.assert_allclose(ops.to_numpy(y), 2 * ops.to_numpy(ops.silu(x)))


def test_operations_inside_an_operation_belong_to_it():
    seen = []

    def watch(function, args, kwargs):
        seen.append(function.__name__)
        return function(*args, **kwargs)

    heads = ops.from_numpy(np.ones((1, 3, 4), np.float32))
    with ops.intercept(watch):
        ops.attention_memory([heads, heads], [heads, heads])  # joins them with concat
    assert seen == ["attention_memory"]


def test_an_error_leaves_the_interceptor_in_place_and_the_context_removes_it():
    calls = []

    def fail(function, args, kwargs):
        calls.append(function.__name__)
        raise RuntimeError("device lost")

    x = ops.from_numpy(ONES)
    with ops.intercept(fail):
        for _ in range(2):
            with pytest.raises(RuntimeError, match="device lost"):
                ops.silu(x)
    ops.silu(x)
    assert len(calls) == 2


def test_interceptors_do_not_nest():
    def pass_on(function, args, kwargs):
        return function(*args, **kwargs)

    with ops.intercept(pass_on), pytest.raises(RuntimeError), ops.intercept(pass_on):
        pass


def test_every_public_array_function_can_be_intercepted():
    no_arrays = {"dtype_of", "token_blocks", "intercept", "map_tensors", "operation", "gpu_forms"}
    for name in ops.__all__:
        value = getattr(ops, name)
        if inspect.isfunction(value) and name not in no_arrays:
            assert hasattr(value, "__wrapped__"), name
    for module in (arrays, blocked_attention, feature_maps):
        public = [n for n, v in vars(module).items() if hasattr(v, "__wrapped__")]
        assert set(public) - {"gpu_forms"} <= set(ops.__all__)


def test_tensors_are_found_inside_operands():
    x = ops.unpacked(ops.from_numpy(np.ones((1, 8, 2, 2), np.float32)), None)
    table = ops.rotary_table(np.ones((2, 4), np.float32), "float32")
    found = []

    def collect(leaf):
        if isinstance(leaf, ops.Tensor):
            found.append(leaf)
        return leaf

    copy, again = ops.map_tensors(collect, (x, [table]))
    assert isinstance(copy, ops.FeatureMap)
    assert copy is not x
    assert again[0].cosine is table.cosine
    assert len(found) == len(x.strips) + 2
