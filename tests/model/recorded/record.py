# SPDX-License-Identifier: Apache-2.0
"""record.py ORIGINAL [--source FILE] [--seed N]: runs an original scaling recipe and writes ORIGINAL.csv beside this file.

An original is imported where it can be installed on a machine without a GPU. Where it cannot, the script takes the
path of its source file, and runs the named functions of that file without their compiler decorators. ORIGINALS says
for each which version was run and where it installs from. tests/model/test_recipes_recorded.py compares the library
with the files. Floats are written as the hexadecimal digits of their bits.
"""

from __future__ import annotations

import argparse
import ast
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).parent
Row = list[Any]  # np.float32 for a float, int for a number

E4M3, E5M2 = np.float32(448), np.float32(57344)


def bits(x: float) -> int:
    """The bits of a float32; every NaN is 0x7fc00000."""
    return 0x7FC00000 if np.isnan(x) else int(np.float32(x).view(np.uint32))


def floats(patterns: list[int]) -> list[np.float32]:
    return [np.uint32(p).view(np.float32) for p in patterns]


ZERO, INF, NAN = floats([0, 0x7F800000, 0x7FC00000])


def amaxes(rng: np.random.Generator, fp8_max: np.float32, drawn: int) -> list[np.float32]:
    """Zero, Inf and NaN; both ends of the normal and subnormal floats; where 1/x and fp8_max/x stop being finite or
    normal; powers of two; around fp8_max * 2^k, where the ratio is about a power of two; drawn bits."""
    edges = [0, 1, 2, 3, 0x1FFFFF, 0x200000, 0x200001, 0x3FFFFF, 0x400000, 0x7FFFFF, 0x800000]
    edges += [0x800001, 0x7E7FFFFF, 0x7E800000, 0x7F7FFFFE, 0x7F7FFFFF, 0x7F800000, 0x7FC00000]
    edges += [(k + 127) << 23 for k in range(-126, 128, 12)]
    for k in (*range(-9, 10, 3), 20, 40, -40, 70, -70, 90, -100):
        at = bits(np.float32(fp8_max * np.float64(2) ** k))
        edges += [at + d for d in (-30, -3, -1, 0, 1, 2, 5, 12, 30)]
    edges += [int(x) for x in rng.integers(0x00800000, 0x7F000000, drawn)]
    middle = np.float32(rng.lognormal(0, 4, drawn))
    return floats([e for e in edges if e <= 0x7FC00000]) + list(middle)


def functions(path: Path, names: list[str], given: dict[str, Any]) -> types.SimpleNamespace:
    """The named functions of a Python file, without decorators and annotations, among the names in `given`."""
    space = dict(given)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            node.decorator_list = []
            node.returns = None
            for argument in [*node.args.args, *node.args.kwonlyargs]:
                argument.annotation = None
            exec(compile(ast.Module([node], []), str(path), "exec"), space)
    return types.SimpleNamespace(**{name: space[name] for name in names})


def scalar(result: Any) -> np.float32:
    return np.float32(result.item())


# ---- the originals: generators of rows --------------------------------------------------------------------------------


def transformer_engine(source: Path, rng: np.random.Generator) -> Iterator[Row]:
    import torch

    original = functions(source, ["_default_sf_compute"], {"torch": torch})
    for fp8_max, margin in ((E4M3, 0), (E5M2, 0), (E4M3, 2), (E5M2, -3), (E4M3, 32)):
        for amax in amaxes(rng, fp8_max, 40):
            previous = np.float32(0.375)
            result = original._default_sf_compute(
                torch.tensor(amax), torch.tensor(previous), float(fp8_max), margin
            )
            yield [fp8_max, margin, amax, previous, scalar(result)]


def transformer_engine_delayed(source: Path, rng: np.random.Generator) -> Iterator[Row]:
    """Rows of one step: window (0 max, 1 most recent), history length, amax, scale. A step of 0 begins a sequence."""
    import torch

    names = [
        "_update_amax_history",
        "_default_get_amax_and_update_history",
        "_default_sf_compute",
    ]
    original = functions(source, names, {"torch": torch})
    for window, length in ((0, 1), (0, 3), (0, 16), (1, 1), (1, 4)):
        history, scale = torch.zeros(length), torch.tensor(1.0)
        drawn = np.float32(rng.lognormal(0, 3, 70))
        special = floats([0, 1, 0x00800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000])
        for step in range(70):
            amax = special[int(rng.integers(6))] if rng.random() < 0.15 else drawn[step]
            history[0] = float(amax)
            history, chosen = original._default_get_amax_and_update_history(
                history, ("max", "most_recent")[window]
            )
            scale = original._default_sf_compute(chosen, scale, 448.0, 0)
            yield [step, window, length, amax, scalar(scale)]


def autofp8(source: Path, rng: np.random.Generator) -> Iterator[Row]:
    import torch

    class Observed(torch.Tensor):
        """The first product is that of the tensor and its quantising scale, which the function does not return."""

    seen: list[Any] = []

    def product(self: Any, other: Any) -> Any:
        seen.append(other.as_subclass(torch.Tensor))
        return self.as_subclass(torch.Tensor) * seen[-1]

    Observed.__mul__ = product  # type: ignore[method-assign, assignment]
    original = functions(source, ["per_tensor_quantize"], {"torch": torch})
    for amax in amaxes(rng, E4M3, 150):
        if not np.isfinite(amax):
            continue
        seen.clear()
        _, dequantise = original.per_tensor_quantize(torch.tensor([amax]).as_subclass(Observed))
        yield [E4M3, amax, scalar(seen[0]), scalar(dequantise)]


def flax(source: Path, rng: np.random.Generator) -> Iterator[Row]:
    import jax
    import jax.numpy as jnp
    from flax.linen import fp8_ops

    compiled = jax.jit(fp8_ops.compute_scale, static_argnums=3)
    for fp8_max, margin in ((E4M3, 0), (E5M2, 0), (E4M3, 2), (E5M2, 7)):
        for amax in amaxes(rng, fp8_max, 60):
            scale = np.float32(rng.choice([0.3, 1.7, 0.002]))
            arguments = [jnp.float32(x) for x in (amax, scale, fp8_max)]
            results = [scalar(f(*arguments, margin)) for f in (fp8_ops.compute_scale, compiled)]
            if subnormal(np.float64(fp8_max) / amax if amax else 1, amax, results[0]):
                continue
            assert bits(results[0]) == bits(results[1]), (amax, results)
            yield [fp8_max, margin, amax, scale, results[0]]


def subnormal(*values: Any) -> bool:
    """XLA's CPU backend flushes subnormals, also 1 / x where it is subnormal."""
    return any(0 < abs(x) < 2.0**-126 for x in values) or any(x > 2.0**126 for x in values[1:])


def xla_example(source: Path, rng: np.random.Generator) -> Iterator[Row]:
    import tensorflow as tf

    names = ["get_fp8_max", "update_scale"]
    given = {"tf": tf, "FAKE_E4M3": 0, "FAKE_E5M2": 1, "E4M3_MAX": 448.0, "E5M2_MAX": 57344.0}
    original = functions(source, names, given)
    for kind, fp8_max in enumerate((E4M3, E5M2)):
        for amax in amaxes(rng, fp8_max, 100):
            scale, history = tf.Variable(np.float32(0.5)), tf.Variable(np.zeros(1, np.float32))
            original.update_scale(tf.constant([amax]), kind, scale, history)
            yield [fp8_max, amax, np.float32(scale.numpy())]


def xla_rfc(source: Path, rng: np.random.Generator) -> Iterator[Row]:
    import jax.numpy as jnp

    for fp8_max in (E4M3, E5M2):
        for amax in amaxes(rng, fp8_max, 100):
            if not subnormal(amax, amax / np.float64(fp8_max)):
                yield [fp8_max, amax, scalar(1.1 * (jnp.float32(amax) / float(fp8_max)))]


def torchao(source: Path, rng: np.random.Generator) -> Iterator[Row]:
    import torch
    from torchao.float8.float8_utils import amax_to_scale

    for fp8_max, dtype in ((E4M3, torch.float8_e4m3fn), (E5M2, torch.float8_e5m2)):
        for power_of_two in (0, 1):
            for amax in [*amaxes(rng, fp8_max, 40), *floats(reciprocals(rng, fp8_max))]:
                result = amax_to_scale(torch.tensor(amax), dtype, bool(power_of_two))
                yield [fp8_max, power_of_two, amax, scalar(result)]


def reciprocals(rng: np.random.Generator, fp8_max: np.float32) -> list[int]:
    """amaxes for which fp8_max * (1 / amax) in float64 becomes another float32 than fp8_max / amax in float64."""
    x = np.arange(0x3F800000, 0x40000000, dtype=np.uint32).view(np.float32).astype(np.float64)
    differ = np.float32(1 / x * np.float64(fp8_max)) != np.float32(np.float64(fp8_max) / x)
    return [bits(np.float32(value)) for value in x[differ][:20]]


def msamp(source: Path, rng: np.random.Generator) -> Iterator[Row]:
    import torch

    original = functions(source, ["compute_scaling_factor"], {"torch": torch})
    for fp8_max, margin in ((E4M3, 0), (E5M2, 0), (E4M3, 2), (E5M2, -3), (E4M3, 32)):
        for amax in amaxes(rng, fp8_max, 40):
            previous = np.float32(0.375)
            result = original.compute_scaling_factor(
                torch.tensor(amax), torch.tensor(previous), float(fp8_max), margin
            )
            yield [fp8_max, margin, amax, previous, scalar(result)]


def vllm(source: Path, rng: np.random.Generator) -> Iterator[Row]:
    import torch

    given = {
        "torch": torch,
        "GroupShape": types.SimpleNamespace(PER_TOKEN="token"),
        "group_broadcast": lambda scale, shape: scale,
        "_FP8_DTYPE": torch.float8_e4m3fn,
        "_FP8_MIN": -448.0,
        "_FP8_MAX": 448.0,
        "_FP8_MIN_SCALING_FACTOR": 1.0 / (448.0 * 512.0),
    }
    original = functions(source, ["forward_native"], given)
    for amax in amaxes(rng, E4M3, 150):
        if np.isfinite(amax):
            quantizer = types.SimpleNamespace(
                is_group_quant=False, static=False, group_shape="tensor", num_token_padding=None
            )
            _, scale = original.forward_native(quantizer, torch.tensor([[amax]]))
            yield [E4M3, amax, scalar(scale.reciprocal()), scalar(scale)]


def modelopt(source: Path, rng: np.random.Generator) -> Iterator[Row]:
    import warnings
    from functools import partial

    import torch

    names = ["export_amax", "_sanitize_export_amax"]
    original = functions(source, names, {"torch": torch, "warnings": warnings})
    for amax in amaxes(rng, E4M3, 150):
        if np.isfinite(amax):
            quantizer = types.SimpleNamespace(
                block_sizes=None, axis=None, amax=torch.tensor([amax]), maxbound=448.0
            )
            quantizer.validate_attr = lambda **_: None
            quantizer._sanitize_export_amax = partial(original._sanitize_export_amax, quantizer)
            scale = original.export_amax(quantizer).float() / quantizer.maxbound
            yield [E4M3, amax, scalar(scale.reciprocal()), scalar(scale)]


def mx(source: Path, rng: np.random.Generator) -> Iterator[Row]:
    """Rows of one block of 32: format (0 e4m3, 1 e5m2), 32 values, 32 quantised values."""
    import sys

    import torch

    sys.path.insert(0, str(source))
    from mx.mx_ops import _quantize_mx

    for index, name in enumerate(("fp8_e4m3", "fp8_e5m2")):
        for block in range(24):
            values = np.float32(rng.standard_normal(32) * 2.0 ** int(rng.integers(-100, 100)))
            values[:4] = [0, values[5], -values[6] * np.float32(2**-12), values[7] * np.float32(8)]
            if block == 0:
                values[:] = 0
            result = _quantize_mx(torch.tensor(values), 8, name, axes=[-1], block_size=32)
            yield [index, *values, *result.numpy()]


def qualcomm(source: Path, rng: np.random.Generator) -> Iterator[Row]:
    """Rows of one tensor: exponent bits, lowest and highest bias, 40 values, the bias with the least squared error of
    the original's quantised values. The original takes a largest value, whose logarithm gives the bias. In FP32 its
    values are some units in the last place off the format's; so it computes in float64 here, and is rounded to FP32."""
    import torch

    original = functions(
        source, ["quantize_to_fp8_ste_MM"], {"torch": torch, "round_ste_func": torch.round}
    )
    for exponent_bits in (5, 4, 3, 2):
        mantissa_bits = 7 - exponent_bits
        for _ in range(12):
            values = np.float32(rng.standard_normal(40) * 2.0 ** int(rng.integers(-8, 9)))
            errors = []
            for bias in range(-4, 25):
                largest = (2 - 2.0**-mantissa_bits) * 2.0 ** (2**exponent_bits - 1 - bias)
                quantised = original.quantize_to_fp8_ste_MM(
                    torch.tensor(values).double(),
                    8,
                    torch.tensor([largest]).double(),
                    torch.tensor([float(mantissa_bits)]).double(),
                    1,
                )
                apart = values.astype(np.float64) - quantised.float().numpy().astype(np.float64)
                errors.append(sum((x * x for x in apart), 0.0))
            yield [exponent_bits, -4, 24, *values, int(np.argmin(errors)) - 4]


class Original(NamedTuple):
    rows: Callable[[Path, np.random.Generator], Iterator[Row]]
    columns: str
    what: str  # its name, function and version
    installs: str  # where it installs from
    source: str  # what --source is, if the original is not imported


TE_FILE = "transformer_engine/pytorch/quantization.py"
ORIGINALS = {
    "transformer_engine": Original(
        transformer_engine,
        "fp8_max margin amax previous scale",
        f"Transformer Engine 2.20.2, {TE_FILE}, _default_sf_compute",
        "pip: transformer_engine==2.20.2; the file runs alone, because the package needs CUDA",
        TE_FILE,
    ),
    "transformer_engine_delayed": Original(
        transformer_engine_delayed,
        "step window length amax scale",
        f"Transformer Engine 2.20.2, {TE_FILE}, _default_get_amax_and_update_history, _default_sf_compute",
        "pip: transformer_engine==2.20.2; the file runs alone, because the package needs CUDA",
        TE_FILE,
    ),
    "autofp8": Original(
        autofp8,
        "fp8_max amax quantise dequantise",
        "AutoFP8 0.1.0, auto_fp8/quantize.py, per_tensor_quantize",
        "git: github.com/neuralmagic/AutoFP8 at 505a7edadf3f360a06aedc0735644ee507dceb8f",
        "auto_fp8/quantize.py",
    ),
    "flax": Original(
        flax,
        "fp8_max margin amax scale next",
        "Flax 0.12.8, flax/linen/fp8_ops.py, compute_scale, eager and under jax.jit; no subnormals, which XLA's CPU flushes",
        "pip: flax==0.12.8",
        "",
    ),
    "xla_example": Original(
        xla_example,
        "fp8_max amax next",
        "kaixih/xla_fp8_testing, DenseFp8.py, update_scale with a history of one amax",
        "git: github.com/kaixih/xla_fp8_testing at 402183e2bc6f615b957bfe7df534d2383fd6919c; the file runs alone, because it needs an older Keras",
        "DenseFp8.py",
    ),
    "xla_rfc": Original(
        xla_rfc,
        "fp8_max amax next",
        "The RFC FP8 in XLA (openxla/xla, discussion 22): its formula in JAX; no subnormals, which XLA's CPU flushes",
        "pip: jax==0.10.2",
        "",
    ),
    "torchao": Original(
        torchao,
        "fp8_max power_of_two amax scale",
        "torchao 0.18.0, torchao/float8/float8_utils.py, amax_to_scale",
        "pip: torchao==0.18.0",
        "",
    ),
    "msamp": Original(
        msamp,
        "fp8_max margin amax previous scale",
        "MS-AMP 0.4.0, msamp/common/tensor/meta.py, ScalingMeta.compute_scaling_factor",
        "git: github.com/Azure/MS-AMP at 9746ea85289f8e6233646e73ace35f730d1245d5",
        "msamp/common/tensor/meta.py",
    ),
    "vllm": Original(
        vllm,
        "fp8_max amax quantise dequantise",
        "vLLM 0.33.0, vllm/model_executor/layers/quantization/input_quant_fp8.py, QuantFP8.forward_native",
        "pip: vllm==0.33.0; the file runs alone, because the package needs CUDA",
        "vllm/model_executor/layers/quantization/input_quant_fp8.py",
    ),
    "tensorrt_llm": Original(
        modelopt,
        "fp8_max amax quantise dequantise",
        "ModelOpt 0.47.0, modelopt/torch/quantization/nn/modules/tensor_quantizer.py, export_amax, then amax / maxbound",
        "pip: nvidia-modelopt==0.47.0; the file runs alone",
        "modelopt/torch/quantization/nn/modules/tensor_quantizer.py",
    ),
    "mx": Original(
        mx,
        "format values[32] quantised[32]",
        "microxcaling, mx/mx_ops.py, _quantize_mx",
        "git: github.com/microsoft/microxcaling at 7bc41952de394f5cc5e782baf132e7c7542eb4e4",
        "the folder that holds mx; an empty mx/__init__.py avoids what it imports",
    ),
    "qualcomm": Original(
        qualcomm,
        "exponent_bits lowest highest values[40] bias",
        "FP8-quantization, quantization/quantizers/fp8_quantizer.py, quantize_to_fp8_ste_MM, in float64; the least error of integer biases",
        "git: github.com/Qualcomm-AI-research/FP8-quantization at ede19a9bbe603edf9ec106af7545d9691b3a350c",
        "quantization/quantizers/fp8_quantizer.py",
    ),
}


def frameworks() -> str:
    """Which of the frameworks ran, and their versions."""
    import sys

    used = [name for name in ("torch", "jax", "tensorflow", "numpy") if name in sys.modules]
    return ", ".join(f"{name} {sys.modules[name].__version__}" for name in used)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("original", choices=sorted(ORIGINALS))
    parser.add_argument("--source", type=Path, default=Path(), help="the original's source file")
    parser.add_argument("--seed", type=int, default=20261124)
    given = parser.parse_args()
    original = ORIGINALS[given.original]
    with np.errstate(all="ignore"):
        rows = list(original.rows(given.source, np.random.default_rng(given.seed)))
    lines = [
        f"# {original.what}",
        f"# {original.installs}",
        f"# tests/model/recorded/record.py {given.original}"
        + (f" --source {original.source}" if original.source else "")
        + f" --seed {given.seed}",
        f"# {frameworks()}, on the CPU; floats are the hexadecimal digits of their bits",
        f"# {original.columns}",
    ]
    for row in rows:
        lines.append(",".join(str(x) if isinstance(x, int) else f"{bits(x):08x}" for x in row))
    (HERE / f"{given.original}.csv").write_text("\n".join(lines) + "\n")
    print(f"{given.original}.csv: {len(rows)} rows")


if __name__ == "__main__":
    main()
