# SPDX-License-Identifier: Apache-2.0
"""torch._scaled_mm with this library's numerics, on torch's tensors and on NumPy's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import codes
from ._config import Config
from ._environment import own_environment
from ._formats import Format, as_tensor, format_of, refuse, torch_of
from ._gemm import gemm
from ._tensors import held

BLOCK = 32  # products for each block scale
PROMOTION = 128  # products after which cuBLAS and CUTLASS promote to FP32 without fast accumulation


def _numpy(name: str, x: Any) -> np.ndarray:
    return held(name, x).array


def _format_of_array(name: str, x: Any) -> Format:
    _, own, kind = held(name, x)
    if own is None:
        raise refuse(
            "FORMAT", f"{name} holds {kind}; it must be an array of torch's or ml_dtypes' types"
        )
    return own


def _matrix(name: str, x: Any) -> tuple[np.ndarray, Format]:
    known = _format_of_array(name, x)
    array = _numpy(name, x)
    if array.ndim != 2:
        raise refuse("SHAPE", f"{name} has {array.ndim} dimensions and must have two")
    return codes(name, array.view(known.code_dtype), known)[0], known


def _float32(name: str, x: Any) -> np.ndarray:
    """float32 values of a scale or a bias, which torch has in float32, bfloat16 or float16."""
    known = format_of("float32") if isinstance(x, (int, float)) else _format_of_array(name, x)
    array = _numpy(name, x)
    if known == format_of("bfloat16"):
        return (array.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)
    if known not in (format_of("float32"), format_of("float16")):
        raise refuse("FORMAT", f"{name} holds {known.name} and must hold float32")
    return array.astype(np.float32)


def _from_blocked(flat: np.ndarray, rows: int, blocks: int) -> np.ndarray:
    """Block scales from the layout that the tensor cores read: tiles of 128 rows and 4 blocks, each stored as 32 x 4 x 4."""
    row_tiles, block_tiles = -(-rows // 128), -(-blocks // 4)
    tiles = flat.reshape(row_tiles, block_tiles, 32, 4, 4)
    padded = tiles.transpose(0, 3, 2, 1, 4).reshape(row_tiles * 128, block_tiles * 4)
    return padded[:rows, :blocks]


def _block_scales(name: str, x: Any, rows: int, k: int) -> np.ndarray | None:
    """E8M0 scales as rows x blocks, or None if the scale is not one of these."""
    if isinstance(x, (int, float)) or _format_of_array(name, x) != format_of("e8m0fnu"):
        return None
    array, blocks = _numpy(name, x).view(np.uint8), -(-k // BLOCK)
    blocked = -(-rows // 128) * 128 * (-(-blocks // 4) * 4)
    if array.shape == (rows, blocks):
        return array
    if array.ndim == 1 and array.size == blocked:
        return _from_blocked(array, rows, blocks)
    raise refuse(
        "SHAPE",
        f"{name} has the shape {array.shape} and must have ({rows}, {blocks}), or ({blocked},) in the blocked layout",
    )


def _scale(name: str, x: Any, rows: int, axis: int) -> np.ndarray:
    """One scale, or one for each row of A (M x 1) or column of B (1 x N)."""
    array = _float32(name, x)
    shape = (rows, 1) if axis == 0 else (1, rows)
    if array.size != 1 and array.shape != shape:
        raise refuse(
            "SHAPE", f"{name} has the shape {array.shape} and must have one value or {shape}"
        )
    return array.reshape(-1)


def _config(
    preset: str | None,
    fast: bool,
    has_blocks: bool,
    formats: tuple[Format, Format],
    settings: dict[str, Any],
) -> Config:
    both = dict(a_format=formats[0], b_format=formats[1])
    if preset is not None:
        return Config(preset, **both, **settings)
    if has_blocks:
        return Config("blackwell-fp8", **both, **settings)
    if formats[0].name.endswith("fnuz"):
        return Config("cdna3-fp8", **both, **settings)
    promotion = {} if fast else {"promote": PROMOTION}
    return Config("hopper-fp8", **both, **(promotion | settings))


def _as_torch(torch: Any, d: np.ndarray, known: Format, like: Any) -> Any:
    """A result whose format was asked for by a Format, as a tensor."""
    dtype = getattr(torch, ("float8_" if known.bits == 8 else "") + known.name)
    if d.dtype == np.float32:
        return torch.from_numpy(d).to(dtype).to(like.device)
    return as_tensor(torch, d, dtype, like)


@own_environment
def scaled_mm(
    input: Any,
    mat2: Any,
    scale_a: Any,
    scale_b: Any,
    bias: Any = None,
    scale_result: Any = None,
    out_dtype: Any = None,
    use_fast_accum: bool = False,
    *,
    preset: str | None = None,
    **settings: Any,
) -> Any:
    """torch._scaled_mm: (input @ mat2) * (scale_a * scale_b) + bias, with the arguments of PyTorch and our numerics.

    input, mat2     M x K and K x N tensors of torch's FP8 types, or NumPy arrays of ml_dtypes' types
    scale_a         float32: one value, or M x 1 values; float8_e8m0fnu: one for every 32 products along K, as M x
                    ceil(K / 32), or one-dimensional in the blocked layout that PyTorch takes on NVIDIA's GPUs
    scale_b         likewise: one value, or 1 x N; or N x ceil(K / 32), or one-dimensional
    bias            N values in float32, bfloat16 or float16
    scale_result    multiplies before the conversion to an FP8 type, as in PyTorch on GPUs (on CPUs PyTorch ignores it); no
                    other output takes it
    out_dtype       by default that of `input`, as in PyTorch; FP8 results saturate
    use_fast_accum  True: the preset hopper-fp8. False: the same, and every 128 products are added in FP32. Block scales
                    select blackwell-fp8 instead, FNUZ operands cdna3-fp8
    preset          the name of another preset; settings (see Config) change it

    The result is a tensor on the device of `input` if that is a tensor, else a NumPy array.
    """
    first, a_format = _matrix("input", input)
    second, b_format = _matrix("mat2", mat2)
    (m, k), (k2, n) = first.shape, second.shape
    if k != k2:
        raise refuse("SHAPE", f"the shapes disagree: input is {m} x {k} and mat2 {k2} x {n}")
    known = a_format if out_dtype is None else format_of(out_dtype)
    blocks = _block_scales("scale_a", scale_a, m, k), _block_scales("scale_b", scale_b, n, k)
    if (blocks[0] is None) != (blocks[1] is None):
        raise refuse("SCALE", "scale_a and scale_b must both be block scales, or neither")
    scales: dict[str, Any] = {"mx_a": blocks[0], "mx_b": blocks[1]}
    if blocks[0] is None:
        scales = {
            "scale_a": _scale("scale_a", scale_a, m, 0),
            "scale_b": _scale("scale_b", scale_b, n, 1),
        }
    if scale_result is not None and known.bits != 8:
        raise refuse("SCALE", f"scale_result is for FP8 results, and the result is {known.name}")
    torch = torch_of(input)
    own_dtype = out_dtype if out_dtype is not None or torch else np.asarray(input).dtype
    result_scale = 1.0
    if scale_result is not None:
        result_scale = float(_scale("scale_result", scale_result, 1, 0)[0])
    d = gemm(
        first,
        np.ascontiguousarray(second.T),
        _config(preset, use_fast_accum, blocks[0] is not None, (a_format, b_format), settings),
        bias=None if bias is None else _float32("bias", bias),
        d_format=known if torch else own_dtype,
        scale_d=result_scale,
        **scales,
    )
    return _as_torch(torch, d, known, input) if torch else d
