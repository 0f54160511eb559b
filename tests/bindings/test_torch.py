# SPDX-License-Identifier: Apache-2.0
"""fp8mac.scaled_mm: the arguments of torch._scaled_mm, against exact arithmetic, gemm, and PyTorch itself.

PyTorch does not specify the order in which it sums. It is compared where no order changes the result: sums of small
integers and of powers of two close to each other. Without PyTorch, its part is skipped with the reason printed.
"""

import fp8mac
import ml_dtypes
import numpy as np
import pytest

try:
    import torch
except (
    ImportError,
    OSError,
    ValueError,
) as error:  # ValueError: a wheel without its CUDA libraries
    torch, WHY = None, error

E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
F32 = np.float32


@pytest.fixture
def refused(check):
    def compare(sentence, status, call):
        try:
            got = f"returned {call()!r}"
        except fp8mac.Error as error:
            own = (error.status, sentence in str(error))
            got = sentence if own == (f"FP8MAC_ERR_{status}", True) else str(error)
        check("refusals", got, sentence)

    return compare


def exact_operands(rng, kind, m, n, k, a_type=E4M3, b_type=E4M3):
    """Operands whose products have no rounding error in any order, as float32: M x K and K x N."""
    if kind == "integers":
        a, b = (rng.integers(-4, 5, shape) for shape in ((m, k), (k, n)))
    else:
        a, b = (
            2.0 ** rng.integers(-1, 2, shape) * rng.choice([-1, 0, 1], shape)
            for shape in ((m, k), (k, n))
        )
    return a.astype(F32).astype(a_type), b.astype(F32).astype(b_type)


def blocked(scales):
    """Block scales in PyTorch's layout for NVIDIA's GPUs: PyTorch's own to_blocked, index by index."""
    rows, blocks = scales.shape
    row_tiles, block_tiles = -(-rows // 128), -(-blocks // 4)
    flat = np.zeros(row_tiles * block_tiles * 512, np.uint8)
    for r in range(rows):
        for b in range(blocks):
            tile = (r // 128) * block_tiles + b // 4
            flat[tile * 512 + (r % 32) * 16 + (r % 128) // 32 * 4 + b % 4] = scales[r, b]
    return flat


def test_numpy(check, arrays, rng):
    for kind in ("integers", "powers"):
        a, b = exact_operands(rng, kind, 5, 7, 96)
        exact = a.astype(F32) @ b.astype(F32)
        for fast in (False, True):
            got = fp8mac.scaled_mm(a, b, F32(1), F32(1), out_dtype=np.float32, use_fast_accum=fast)
            arrays("one scale", got, exact)
        rows, columns = (
            F32(2.0 ** rng.integers(-2, 3, (5, 1))),
            F32(2.0 ** rng.integers(-2, 3, (1, 7))),
        )
        bias = rng.integers(-4, 5, 7).astype(ml_dtypes.bfloat16)
        got = fp8mac.scaled_mm(a, b, rows, columns, bias=bias, out_dtype=np.float32)
        arrays("scales of rows and columns, bias", got, exact * rows * columns + bias.astype(F32))
        for out in (np.float16, ml_dtypes.bfloat16, E5M2):
            got = fp8mac.scaled_mm(a, b, F32(0.5), 0.25, out_dtype=out)
            check("the type of the result", got.dtype, np.dtype(out))
            arrays("other results", got.astype(F32), (exact / 8).astype(out).astype(F32))
        got = fp8mac.scaled_mm(a, b, 1.0, 1.0, scale_result=F32(0.5))
        check("the result has the type of input", got.dtype, np.dtype(E4M3))
        arrays(
            "scale_result", got.astype(F32), np.clip(exact / 2, -448, 448).astype(E4M3).astype(F32)
        )


def test_presets(check, arrays, rng):
    """The numerics that the arguments select."""
    a, b = (fp8mac.cast(rng.normal(size=s) * 9, E4M3) for s in ((6, 256), (256, 5)))
    fnuz = [fp8mac.cast(x.astype(F32) / 2, ml_dtypes.float8_e4m3fnuz) for x in (a, b)]
    call = fp8mac.scaled_mm
    for got, (x, y), how in (
        (call(a, b, 1.0, 1.0, out_dtype="float32"), (a, b), dict(preset="hopper-fp8", promote=128)),
        (
            call(a, b, 1.0, 1.0, out_dtype="float32", use_fast_accum=True),
            (a, b),
            dict(preset="hopper-fp8"),
        ),
        (call(*fnuz, 1.0, 1.0, out_dtype="float32"), fnuz, dict(preset="cdna3-fp8")),
        (
            call(a, b, 1.0, 1.0, out_dtype="float32", preset="late_fp16"),
            (a, b),
            dict(preset="late_fp16"),
        ),
        (
            call(a, b, 1.0, 1.0, out_dtype="float32", frac_bits=20),
            (a, b),
            dict(preset="hopper-fp8", promote=128, frac_bits=20),
        ),
    ):
        arrays("numerics", got, fp8mac.gemm(x, np.ascontiguousarray(y.T), **how))
    mixed = call(a, fp8mac.cast(b.astype(F32), E5M2), 1.0, 1.0, out_dtype="float32")
    check("E4M3 with E5M2", mixed.shape, (6, 5))


def test_blocks(arrays, refused, rng):
    for m, n, k in ((5, 7, 96), (130, 3, 160), (128, 128, 128)):
        a, b = exact_operands(rng, "integers", m, n, k)
        blocks = -(-k // 32)
        sa, sb = (rng.integers(125, 130, (rows, blocks)).astype(np.uint8) for rows in (m, n))
        want = sum(
            (a[:, i : i + 32].astype(F32) * 2.0 ** (sa[:, i // 32, None] - 127.0))
            @ (b[i : i + 32].astype(F32) * 2.0 ** (sb[:, i // 32] - 127.0))
            for i in range(0, k, 32)
        )
        kind = ml_dtypes.float8_e8m0fnu
        for x, y in ((sa, sb), (blocked(sa), blocked(sb))):
            got = fp8mac.scaled_mm(a, b, x.view(kind), y.view(kind), out_dtype="float32")
            arrays("block scales", got, want.astype(F32))
    one = np.ones(3, np.uint8).view(kind)
    refused("scale_a has the shape (3,)", "SHAPE", lambda: fp8mac.scaled_mm(a, b, one, one))
    refused("both be block scales", "SCALE", lambda: fp8mac.scaled_mm(a, b, sa.view(kind), 1.0))


def test_refusals(refused, rng):
    a, b = exact_operands(rng, "integers", 4, 6, 32)
    call = fp8mac.scaled_mm
    refused("input is 4 x 32 and mat2 6 x 32", "SHAPE", lambda: call(a, b.T, 1.0, 1.0))
    refused("input has 1 dimensions", "SHAPE", lambda: call(a[0], b, 1.0, 1.0))
    refused("input holds uint8", "FORMAT", lambda: call(a.view(np.uint8), b, 1.0, 1.0))
    refused("scale_a has the shape (3,)", "SHAPE", lambda: call(a, b, np.ones(3, F32), 1.0))
    refused("scale_b has the shape (6, 1)", "SHAPE", lambda: call(a, b, 1.0, np.ones((6, 1), F32)))
    refused("scale_a holds -1", "SCALE", lambda: call(a, b, -1.0, 1.0))
    refused("bias has the shape (4,)", "SHAPE", lambda: call(a, b, 1.0, 1.0, bias=np.ones(4, F32)))
    refused(
        "scale_result is for FP8 results",
        "SCALE",
        lambda: call(a, b, 1.0, 1.0, scale_result=1.0, out_dtype="float32"),
    )
    refused("d_format is e8m0fnu", "FORMAT", lambda: call(a, b, 1.0, 1.0, out_dtype="e8m0fnu"))
    refused(
        "preset 'volta' is unknown", "ACCUMULATOR", lambda: call(a, b, 1.0, 1.0, preset="volta")
    )


def tensor(x):
    """The same values as a tensor."""
    if x.dtype.itemsize == 1 and x.dtype != np.uint8:
        name = "float8_" + fp8mac.format_of(x.dtype).name
        return torch.from_numpy(x.view(np.uint8).copy()).view(getattr(torch, name))
    if x.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(x.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.ascontiguousarray(x))


def raw(x):
    """The bits of a tensor."""
    return x.view({1: torch.uint8, 2: torch.int16, 4: torch.int32}[x.dtype.itemsize]).numpy()


def test_pytorch(check, arrays, rng):
    """Both functions get the same call; only the name differs."""
    if torch is None:
        print(f"skipped: the comparison with PyTorch, which cannot be imported: {WHY}")
        return
    types = [(E4M3, E4M3), (E4M3, E5M2), (E5M2, E4M3)]
    outs = (torch.float32, torch.bfloat16, torch.float16)
    for kind in ("integers", "powers"):
        for a_type, b_type in types:
            m, n, k = (16 * int(v) for v in rng.integers(1, 4, 3))
            a, b = (tensor(x) for x in exact_operands(rng, kind, m, n, k, a_type, b_type))
            b = b.t().contiguous().t()  # PyTorch wants mat2 column by column
            one = tensor(F32(2.0 ** rng.integers(-2, 3, ()))), tensor(F32(0.5).reshape(()))
            rows = tensor(F32(2.0 ** rng.integers(-2, 3, (m, 1))))
            columns = tensor(F32(2.0 ** rng.integers(-2, 3, (1, n))))
            bias = tensor(rng.integers(-4, 5, n).astype(F32))
            for scales in (one, (rows, columns)):
                for out in outs:
                    for fast in (False, True):
                        for addend in (None, bias.to(out)):
                            call = dict(bias=addend, out_dtype=out, use_fast_accum=fast)
                            want = torch._scaled_mm(a, b, *scales, **call)
                            got = fp8mac.scaled_mm(a, b, *scales, **call)
                            check("PyTorch: type", got.dtype, want.dtype)
                            arrays(f"PyTorch: {kind}, {out}", raw(got), raw(want))
            want, got = (f(a, b, *one) for f in (torch._scaled_mm, fp8mac.scaled_mm))
            check("PyTorch: type", got.dtype, want.dtype)
            arrays("PyTorch: FP8 result", raw(got), raw(want))
    a, b = exact_operands(rng, "integers", 4, 6, 64)
    scales = [rng.integers(125, 130, (rows, 2)).astype(np.uint8) for rows in (4, 6)]
    kind = ml_dtypes.float8_e8m0fnu
    got = fp8mac.scaled_mm(
        tensor(a), tensor(b), *(tensor(s.view(kind)) for s in scales), out_dtype=torch.float32
    )
    want = fp8mac.scaled_mm(a, b, *(s.view(kind) for s in scales), out_dtype="float32")
    arrays("tensors with block scales", got.numpy(), want)


FP8 = ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz")


def torch_type(name):
    return getattr(torch, ("float8_" if name in (*FP8, "e8m0fnu") else "") + name)


def same(check, arrays, name, got, want, kind):
    """A tensor of that type with the bits of an array."""
    check(f"{name}: type", (type(got), got.dtype), (torch.Tensor, kind))
    check(f"{name}: shape", tuple(got.shape), want.shape)
    arrays(name, raw(got), want.view(raw(got).dtype))


@pytest.fixture
def needs_torch():
    if torch is None:
        pytest.skip(f"PyTorch cannot be imported: {WHY}")


def test_tensors(check, arrays, rng, needs_torch):
    """cast and decode take tensors, and give them where a dtype of PyTorch is asked for."""
    x = rng.normal(0, 9, (6, 8)).astype(F32)
    sources = [x, x.astype(np.float16), x.astype(ml_dtypes.bfloat16)]
    sources += [x.astype(getattr(ml_dtypes, f"float8_{name}")) for name in FP8]
    for source in sources:
        t = tensor(source)
        for name in (*FP8, "float16", "bfloat16", "float32"):
            dtype = fp8mac.cast(source, name).dtype
            want = fp8mac.cast(source, name, overflow="ieee")
            for given in (t, t.t().contiguous().t(), source):
                got = fp8mac.cast(given, torch_type(name), overflow="ieee")
                same(check, arrays, "tensors: cast", got, want, torch_type(name))
            got = fp8mac.cast(t, name, overflow="ieee")
            check("tensors: a name gives an array", (type(got), got.dtype), (np.ndarray, dtype))
            arrays("tensors: cast to an array", got.view(np.uint8), want.view(np.uint8))
        arrays("tensors: float64", fp8mac.cast(t, torch.float64).numpy(), source.astype(float))
        for kind, own in ((torch.float32, F32), (torch.float64, float)):
            arrays("tensors: decode", fp8mac.decode(t, dtype=kind).numpy(), source.astype(own))
    got = fp8mac.cast(tensor(x), torch.float8_e5m2, overflow="ieee")
    arrays("tensors: as PyTorch rounds", raw(got), raw(tensor(x).to(torch.float8_e5m2)))
    codes = np.arange(256, dtype=np.uint8)
    for name in FP8:
        want = fp8mac.decode(codes, name)
        got = fp8mac.decode(torch.from_numpy(codes), name, dtype=torch.float32)
        same(check, arrays, "tensors: codes with a format", got, want, torch.float32)
        got = fp8mac.decode(torch.from_numpy(codes).view(torch_type(name)), scale=0.5)
        arrays(
            "tensors: scale",
            got.view(np.uint32),
            fp8mac.decode(codes, name, scale=0.5).view(np.uint32),
        )
    gradient = tensor(x).requires_grad_()
    arrays("tensors: with a gradient", fp8mac.cast(gradient, "e5m2"), fp8mac.cast(x, "e5m2"))
    for part in (x[0, 0], x[:0]):
        got = fp8mac.cast(tensor(part).reshape(part.shape), torch.float8_e5m2)
        same(check, arrays, "tensors: shapes", got, fp8mac.cast(part, "e5m2"), torch.float8_e5m2)
    values, flags = fp8mac.cast(tensor(x) * 1e9, torch.float8_e4m3fn, return_flags=True)
    check("tensors: flags", (values.dtype, flags), (torch.float8_e4m3fn, fp8mac.Flags.SATURATED))


def test_tensors_of_products(check, arrays, rng, needs_torch):
    """dot and gemm take tensors as every operand, and batches of them."""
    m, n, k = 3, 5, 64
    for name, kind in (("e4m3fn", E4M3), ("e5m2", E5M2)):
        a, b = (fp8mac.cast(rng.normal(size=(2, r, k)), kind) for r in (m, n))
        blocks = [rng.integers(120, 134, (r, 2)).astype(np.uint8) for r in (m, n)]
        e8m0 = [s.view(ml_dtypes.float8_e8m0fnu) for s in blocks]
        values = rng.uniform(0.5, 2, (2, m, n)).astype(F32)
        operands = dict(scale_a=values[0, :, 0], scale_b=values[0, 0], bias=values[1, 0])
        operands |= dict(c=values, acc=values[1])
        for more in (
            operands,
            operands | dict(c=values.astype(np.float16), bias=values[1, 0].astype(np.float16)),
            operands | dict(c=values.astype(ml_dtypes.bfloat16)),
            dict(mx_a=e8m0[0], mx_b=e8m0[1], preset="blackwell-fp8"),
            dict(mx_a=blocks[0], mx_b=blocks[1], preset="blackwell-fp8"),
        ):
            tensors = {w: v if isinstance(v, str) else tensor(v) for w, v in more.items()}
            for d in ("float32", "bfloat16", "float16", "e4m3fn"):
                want = fp8mac.gemm(a, b, d_format=d, **more)
                got = fp8mac.gemm(tensor(a), tensor(b), d_format=torch_type(d), **tensors)
                same(check, arrays, "tensors: gemm", got, want, torch_type(d))
        result = fp8mac.gemm(tensor(a), tensor(b), d_format=torch.float16, return_result=True)
        want = fp8mac.gemm(a, b, d_format="float16", return_result=True)
        same(check, arrays, "tensors: result", result.d, want.d, torch.float16)
        check("tensors: amax", (result.amax, result.flags), (want.amax, want.flags))
        want = fp8mac.dot(a, b[:, :1], mx_a=blocks[0])
        got = fp8mac.dot(tensor(a), tensor(b[:, :1]), mx_a=tensor(e8m0[0]), dtype=torch.float32)
        same(check, arrays, "tensors: dot", got, want, torch.float32)
        one = fp8mac.dot(tensor(a[0, 0]), tensor(b[0, 0]), dtype=torch.float32)
        check(
            "tensors: one dot", (one.shape, one.item()), ((), float(fp8mac.dot(a[0, 0], b[0, 0])))
        )
        raws = fp8mac.gemm(*(torch.from_numpy(v.view(np.uint8)) for v in (a, b)), format=name)
        arrays("tensors: codes with a format", raws, fp8mac.gemm(a, b))
        low = tensor(values[1, 0].astype(ml_dtypes.bfloat16))
        arrays(
            "tensors: bias in bfloat16",
            fp8mac.gemm(tensor(a), tensor(b), bias=low),
            fp8mac.gemm(a, b, bias=low.float().numpy()),
        )


def test_tensors_refused(refused, needs_torch):
    one = torch.ones(2, 4)
    eights = one.to(torch.float8_e4m3fn)
    refused("x holds int32; give", "FORMAT", lambda: fp8mac.cast(one.int(), "e5m2"))
    refused("x holds complex64", "FORMAT", lambda: fp8mac.cast(one.cfloat(), "e5m2"))
    refused("is no dense tensor", "FORMAT", lambda: fp8mac.cast(one.to_sparse(), "e5m2"))
    refused("format 'int32' is unknown", "FORMAT", lambda: fp8mac.cast(one, torch.int32))
    refused("format was given as e5m2", "FORMAT", lambda: fp8mac.decode(eights, "e5m2"))
    refused(
        "x holds float32; codes of e5m2", "FORMAT", lambda: fp8mac.decode(one, torch.float8_e5m2)
    )
    refused(
        "bias holds float64",
        "FORMAT",
        lambda: fp8mac.gemm(eights, eights, bias=one[0, :2].double()),
    )
    refused(
        "bias holds float8_e4m3fn",
        "FORMAT",
        lambda: fp8mac.gemm(eights, eights, bias=eights[0, :2]),
    )
    refused("must be float32", "FORMAT", lambda: fp8mac.dot(eights, eights, dtype=torch.float16))
    refused("must be float32 or", "FORMAT", lambda: fp8mac.decode(eights, dtype=torch.float16))
    refused("must be float32 or", "FORMAT", lambda: fp8mac.decode(eights, dtype=torch.qint8))
    refused("'torch.float64' is unknown", "FORMAT", lambda: fp8mac.cast(one, "torch.float64"))


def test_flush_denormal(check, arrays, needs_torch):
    """PyTorch's switch does not reach the results, and stays as the caller set it."""
    small = np.uint32([1, 3, 0x7FFFFF]).view(F32)
    want = fp8mac.decode(small, dtype=float)
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot flush subnormals")
    try:
        got = fp8mac.decode(tensor(small), dtype=torch.float64)
        again = torch.tensor(1e-310, dtype=torch.float64) * 1.0
    finally:
        torch.set_flush_denormal(False)
    arrays("flushed subnormals: decode", got.numpy().view(np.uint64), want.view(np.uint64))
    check("flushed subnormals: still so for the caller", again.item(), 0.0)
