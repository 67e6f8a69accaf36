"""Every array operation of the networks, plain and tuned: nothing else knows Paddle's operators.

Separate so that the networks read like their formulas, and so that a second array library could be
put under them by writing a second `ops`, `device` and weight reader. The contract is therefore
narrow: free functions, no modules, no autograd, one picture at a time. Which form of an operation
runs (blocked, in strips, whole) is decided here, from the device that holds the tensors.

Conventions: floating tensors are float32 on the CPU and float32, float16 or bfloat16 on a GPU; an
operation keeps the dtype of its first argument. S counts tokens, N heads; D is a head's width. A
function whose name ends in `_` may overwrite its first argument: use its result, not the argument.

`checkpoint` is called between the pieces of a long operation; it raises to cancel.
"""

from engine.ops.arrays import (
    MAX_LAYER_NORM_EPS,
    Checkpoint,
    Tensor,
    add_,
    add_one,
    add_scaled_last_,
    cast_to,
    concat,
    dtype_of,
    embedding,
    from_numpy,
    gelu_gated_,
    gpu_forms,
    layer_norm,
    linear,
    multiply,
    reshape,
    rms_norm,
    rows,
    scale_,
    scale_shift_channels,
    silu,
    silu_gated_,
    split,
    to_numpy,
    transpose,
)
from engine.ops.blocked_attention import (
    AttentionMemory,
    RotaryTable,
    attention,
    attention_memory,
    rotary_table,
    rotated_heads,
    split_heads,
    token_blocks,
)
from engine.ops.feature_maps import (
    ChannelNorm,
    FeatureMap,
    add_tokens_,
    conv1x1,
    conv2d,
    conv2d_and_shortcut,
    group_norm,
    image,
    tokens,
    unpacked,
    upsample_conv2d,
)
from engine.ops.interception import Interceptor, intercept, map_tensors, operation

__all__ = [
    "MAX_LAYER_NORM_EPS",
    "AttentionMemory",
    "ChannelNorm",
    "Checkpoint",
    "FeatureMap",
    "Interceptor",
    "RotaryTable",
    "Tensor",
    "add_",
    "add_one",
    "add_scaled_last_",
    "add_tokens_",
    "attention",
    "attention_memory",
    "cast_to",
    "concat",
    "conv1x1",
    "conv2d",
    "conv2d_and_shortcut",
    "dtype_of",
    "embedding",
    "from_numpy",
    "gelu_gated_",
    "gpu_forms",
    "group_norm",
    "image",
    "intercept",
    "layer_norm",
    "linear",
    "map_tensors",
    "multiply",
    "operation",
    "reshape",
    "rms_norm",
    "rotary_table",
    "rotated_heads",
    "rows",
    "scale_",
    "scale_shift_channels",
    "silu",
    "silu_gated_",
    "split",
    "split_heads",
    "to_numpy",
    "token_blocks",
    "tokens",
    "transpose",
    "unpacked",
    "upsample_conv2d",
]
