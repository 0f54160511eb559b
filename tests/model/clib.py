# SPDX-License-Identifier: Apache-2.0
"""ctypes binding of libfp8mac. Enumerators are read from the public headers, never typed here."""

import ctypes as ct
import pathlib
import re

import numpy as np

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "model" / "include" / "fp8mac"


def read_enumerators():
    """Every enumerator of the public headers: name -> value."""
    values = {}
    for header in sorted(INCLUDE.glob("*.h")):
        text = re.sub(r"//.*|/\*.*?\*/", "", header.read_text())
        for body in re.findall(r"\benum\b[^{;]*\{(.*?)\}", text, re.S):
            following = 0
            for item in filter(None, (part.strip() for part in body.split(","))):
                name, _, expression = (part.strip() for part in item.partition("="))
                if expression:
                    following = eval(re.sub(r"(?<=\d)[uU]", "", expression), {"__builtins__": {}})
                values[name] = following
                following += 1
    return values


ENUMS = read_enumerators()


def enum(name):
    return ENUMS["FP8MAC_" + name]


OK = enum("OK")
INVALID, OVERFLOW, SATURATED, NAN = (
    enum("FLAG_" + name) for name in ("INVALID", "OVERFLOW", "SATURATED", "NAN")
)


class Format(ct.Structure):
    _fields_ = [
        ("name", ct.c_char_p),
        ("is_signed", ct.c_bool),
        ("exponent_bits", ct.c_uint8),
        ("mantissa_bits", ct.c_uint8),
        ("bias", ct.c_int16),
        ("has_inf", ct.c_bool),
        ("has_negative_zero", ct.c_bool),
        ("nan_encoding", ct.c_uint),
        ("exponent_zero", ct.c_uint),
    ]


class Value(ct.Structure):
    _fields_ = [
        ("cls", ct.c_uint),
        ("sign", ct.c_bool),
        ("exponent", ct.c_int32),
        ("significand", ct.c_uint64),
    ]


class ConvertMode(ct.Structure):
    _fields_ = [("rounding", ct.c_uint), ("overflow", ct.c_uint)]


class DotOperand(ct.Structure):
    _fields_ = [("format", ct.POINTER(Format)), ("scale_exp", ct.c_int)]


class DotTerms(ct.Structure):
    _fields_ = [("codes", ct.c_char_p), ("mx", ct.c_char_p)]


class DotConfig(ct.Structure):
    _fields_ = [
        ("a", DotOperand),
        ("b", DotOperand),
        ("acc_format", ct.c_uint),
        ("group", ct.c_uint),
        ("guard_bits", ct.c_uint),
        ("acc_saturate", ct.c_bool),
        ("acc_rounding", ct.c_uint),
        ("random_bits", ct.c_uint),
        ("seed", ct.c_uint64),
        ("frac_bits", ct.c_uint),
        ("static_exponent", ct.c_int),
        ("align_round", ct.c_uint),
        ("align_by", ct.c_uint),
        ("min_exponent", ct.c_int),
        ("acc_late", ct.c_bool),
        ("late_bits_sum", ct.c_uint),
        ("late_bits_acc", ct.c_uint),
        ("late_drop", ct.c_uint),
        ("late_round", ct.c_uint),
        ("even_odd", ct.c_bool),
        ("flush", ct.c_bool),
        ("nan_code", ct.c_uint32),
        ("lscale", ct.c_uint),
        ("promote", ct.c_uint),
        ("chunk", ct.c_uint),
        ("k_order", ct.c_uint),
    ]


class Acc(ct.Structure):
    _fields_ = [
        ("code", ct.c_uint32),
        ("fixed_lo", ct.c_uint64),
        ("fixed_hi", ct.c_uint64),
        ("fixed_sticky", ct.c_uint8),
        ("fixed_terms", ct.c_uint64),
        ("fixed_scale", ct.c_int16),
        ("fixed_static_exponent", ct.c_int16),
        ("second", ct.c_uint32),
        ("pending", ct.c_uint32),
        ("m", ct.c_uint32),
        ("n", ct.c_uint32),
        ("steps", ct.c_uint64),
    ]


class Record(ct.Structure):
    _fields_ = [
        ("code", ct.c_uint32),
        ("cls", ct.c_uint),
        ("sign", ct.c_bool),
        ("subnormal", ct.c_bool),
        ("exponent", ct.c_int32),
        ("significand", ct.c_uint64),
        ("value", ct.c_double),
    ]


class RandomSource(ct.Structure):
    _fields_ = [
        ("r", ct.c_void_p),
        ("bits", ct.c_uint),
        ("seed", ct.c_uint64),
        ("m", ct.c_uint32),
        ("n", ct.c_uint32),
        ("step", ct.c_uint64),
        ("generator", ct.c_uint),
    ]


class Preset(ct.Structure):
    _fields_ = [
        ("name", ct.c_char_p),
        ("summary", ct.c_char_p),
        ("source", ct.c_char_p),
        ("compared", ct.c_char_p),
        ("covered", ct.c_bool),
        ("config", DotConfig),
    ]


class TeLayer(ct.Structure):
    _fields_ = [("format", ct.c_uint), ("high_precision", ct.c_bool * 3)]


class Factors(ct.Structure):
    _fields_ = [("before", ct.c_float), ("after", ct.c_float)]


class Scale(ct.Structure):
    _fields_ = [("mode", ct.c_uint), ("values", ct.c_void_p)]


class Epilogue(ct.Structure):
    _fields_ = [
        ("has_bias", ct.c_bool),
        ("activation", ct.c_uint),
        ("clamp_lo", ct.c_float),
        ("clamp_hi", ct.c_float),
        ("beta", ct.c_float),
        ("multiply", ct.c_bool),
        ("maximum", ct.c_bool),
        ("d_format", ct.POINTER(Format)),
        ("d_mode", ConvertMode),
        ("scale_d", ct.c_float),
        ("d_table", ct.c_void_p),
    ]


class GemmOperand(ct.Structure):
    _fields_ = [
        ("codes", ct.c_void_p),
        ("stride", ct.c_size_t),
        ("scale", Scale),
        ("mx", ct.c_void_p),
        ("mx_stride", ct.c_size_t),
    ]


class GemmDesc(ct.Structure):
    _fields_ = [
        ("m", ct.c_size_t),
        ("n", ct.c_size_t),
        ("k", ct.c_size_t),
        ("dot", DotConfig),
        ("a", GemmOperand),
        ("b", GemmOperand),
        ("bias", ct.c_void_p),
        ("beta", ct.c_float),
        ("c", ct.c_void_p),
        ("c_format", ct.POINTER(Format)),
        ("ldc", ct.c_size_t),
        ("activation", ct.c_uint),
        ("clamp_lo", ct.c_float),
        ("clamp_hi", ct.c_float),
        ("d", ct.c_void_p),
        ("d_format", ct.POINTER(Format)),
        ("ldd", ct.c_size_t),
        ("d_mode", ConvertMode),
        ("scale_d", ct.c_void_p),
        ("origin_m", ct.c_uint32),
        ("origin_n", ct.c_uint32),
        ("d_random_bits", ct.c_uint),
        ("d_generator", ct.c_uint),
        ("d_table", ct.c_void_p),
        ("acc", ct.c_void_p),
        ("ldacc", ct.c_size_t),
        ("inexact_flags", ct.c_bool),
    ]


class RowsDesc(ct.Structure):
    _fields_ = [
        ("operation", ct.c_uint),
        ("rows", ct.c_size_t),
        ("cols", ct.c_size_t),
        ("x", ct.c_void_p),
        ("x_format", ct.POINTER(Format)),
        ("ldx", ct.c_size_t),
        ("seen", ct.c_size_t),
        ("causal", ct.c_bool),
        ("factor", ct.c_void_p),
        ("eps", ct.c_float),
        ("gamma", ct.c_void_p),
        ("beta", ct.c_void_p),
        ("activation", ct.c_uint),
        ("clamp_lo", ct.c_float),
        ("clamp_hi", ct.c_float),
        ("d", ct.c_void_p),
        ("d_format", ct.POINTER(Format)),
        ("ldd", ct.c_size_t),
        ("d_mode", ConvertMode),
        ("scale_d", ct.c_void_p),
        ("d_table", ct.c_void_p),
        ("scales", ct.c_void_p),
        ("lds", ct.c_size_t),
        ("base2", ct.c_bool),
    ]


def set_field(structure, path, value):
    """Sets a field, or one of a structure in it: a.format."""
    *outer, last = path.split(".")
    for name in outer:
        structure = getattr(structure, name)
    setattr(structure, last, value)


class GemmResult(ct.Structure):
    _fields_ = [("amax", ct.c_float), ("amax_nonfinite", ct.c_bool), ("flags", ct.c_uint32)]


FORMAT_P, VOID_P, SIZE, U32, STATUS = (
    ct.POINTER(Format),
    ct.c_void_p,
    ct.c_size_t,
    ct.c_uint32,
    ct.c_int,
)
FLOAT, UINT = ct.c_float, ct.c_uint

SIGNATURES = {  # name: (result, arguments)
    "status_string": (ct.c_char_p, [STATUS]),
    "format_get": (FORMAT_P, [UINT]),
    "format_by_name": (FORMAT_P, [ct.c_char_p]),
    "format_validate": (STATUS, [FORMAT_P]),
    "format_bits": (UINT, [FORMAT_P]),
    "format_bytes": (UINT, [FORMAT_P]),
    "format_max_code": (U32, [FORMAT_P]),
    "format_nan_code": (U32, [FORMAT_P]),
    "decode": (Value, [FORMAT_P, U32]),
    "value_to_double": (ct.c_double, [Value]),
    "value_from_double": (Value, [ct.c_double]),
    "convert_mode_validate": (STATUS, [FORMAT_P, ConvertMode]),
    "encode": (U32, [FORMAT_P, Value, ConvertMode, VOID_P]),
    "convert": (STATUS, [FORMAT_P, VOID_P, FORMAT_P, VOID_P, SIZE, ConvertMode, VOID_P]),
    "quantize": (STATUS, [FORMAT_P, VOID_P, VOID_P, SIZE, FLOAT, ConvertMode, VOID_P]),
    "dequantize": (STATUS, [VOID_P, FORMAT_P, VOID_P, SIZE, FLOAT]),
    "dot_config_validate": (STATUS, [ct.POINTER(DotConfig)]),
    "dot_step": (STATUS, [VOID_P, VOID_P, ct.c_char_p, ct.c_char_p, UINT, VOID_P]),
    "dot": (STATUS, [VOID_P, VOID_P, ct.c_char_p, ct.c_char_p, SIZE, VOID_P]),
    "acc_to_fp32": (U32, [VOID_P, VOID_P, VOID_P]),
    "epilogue_apply": (
        U32,
        [ct.POINTER(Epilogue), U32, U32, U32, U32, U32, VOID_P, VOID_P, VOID_P],
    ),
    "fp32_mul": (U32, [U32, U32, VOID_P]),
    "fp32_add": (U32, [U32, U32, VOID_P]),
    "fp32_exp2": (U32, [U32, VOID_P]),
    "fp32_exp": (U32, [U32, VOID_P]),
    "fp32_sigmoid": (U32, [U32, VOID_P]),
    "fp32_tanh": (U32, [U32, VOID_P]),
    "fp32_reciprocal": (U32, [U32, VOID_P]),
    "fp32_rsqrt": (U32, [U32, VOID_P]),
    "gemm": (STATUS, [ct.POINTER(GemmDesc), VOID_P]),
    "rows": (STATUS, [ct.POINTER(RowsDesc), VOID_P]),
    "format_with_bias": (Format, [UINT, ct.c_int]),
    "format_refusal": (ct.c_char_p, [FORMAT_P]),
    "format_unit_exponent": (ct.c_int32, [FORMAT_P]),
    "record_of": (Record, [FORMAT_P, U32]),
    "value_text": (SIZE, [Value, UINT, ct.c_char_p, SIZE]),
    "compare": (ct.c_int, [Value, Value]),
    "neg": (U32, [FORMAT_P, U32, VOID_P]),
    "abs": (U32, [FORMAT_P, U32, VOID_P]),
    "add": (U32, [FORMAT_P, U32, U32, ConvertMode, VOID_P]),
    "mul": (U32, [FORMAT_P, U32, U32, ConvertMode, VOID_P]),
    "encode_stochastic": (U32, [FORMAT_P, Value, UINT, U32, UINT, VOID_P]),
    "convert_from_double": (STATUS, [FORMAT_P, VOID_P, VOID_P, SIZE, ConvertMode, VOID_P]),
    "convert_to_double": (STATUS, [VOID_P, FORMAT_P, VOID_P, SIZE]),
    "threefry4x32": (None, [VOID_P, VOID_P, VOID_P]),
    "random_bits": (U32, [ct.c_uint64, U32, U32, ct.c_uint64, UINT, UINT]),
    "simon_bits": (U32, [ct.c_uint64, U32, U32, UINT]),
    "convert_stochastic": (
        STATUS,
        [FORMAT_P, VOID_P, FORMAT_P, VOID_P, SIZE, UINT, VOID_P, VOID_P],
    ),
    "acc_load": (STATUS, [VOID_P, VOID_P, U32]),
    "dot_mx": (STATUS, [VOID_P, VOID_P, DotTerms, DotTerms, SIZE, VOID_P]),
    "preset_count": (SIZE, []),
    "preset_get": (STATUS, [SIZE, VOID_P]),
    "preset_by_name": (STATUS, [ct.c_char_p, VOID_P]),
    "recipe_te_operand": (FORMAT_P, [VOID_P, UINT, ct.c_bool]),
    "recipe_xla_next": (FLOAT, [FLOAT, FLOAT, FLOAT]),
    "recipe_flax_scale": (FLOAT, [FLOAT, ct.c_int, FLOAT, FLOAT]),
    "recipe_xla_example_next": (FLOAT, [FLOAT, FLOAT]),
    "recipe_xla_mode": (ConvertMode, [UINT, ct.c_bool]),
    "recipe_xla_quantize": (STATUS, [FORMAT_P, VOID_P, VOID_P, SIZE, FLOAT, ConvertMode, VOID_P]),
    "recipe_pytorch_scale": (FLOAT, [FLOAT, FLOAT, ct.c_bool, FLOAT]),
    "recipe_torchao_scale": (FLOAT, [FLOAT, FLOAT, ct.c_bool]),
    "recipe_msamp_scale": (FLOAT, [FLOAT, ct.c_int, FLOAT, FLOAT]),
    "recipe_graphcore_amax_bias": (ct.c_int, [FLOAT, FLOAT, ct.c_int]),
    "recipe_graphcore_cscale_bias": (ct.c_int, [ct.c_int]),
    "recipe_scale_exponent": (ct.c_int, [ct.c_int]),
    "recipe_fp8lm_mu": (FLOAT, [FLOAT, ct.c_uint64, ct.c_uint64]),
    "recipe_fp8lm_shared_scale": (FLOAT, [VOID_P, SIZE]),
    "recipe_reduction_factors": (Factors, [UINT, U32, FLOAT]),
    "recipe_mx_scale": (ct.c_uint8, [FORMAT_P, FLOAT]),
    "recipe_mx_quantize": (STATUS, [FORMAT_P, VOID_P, VOID_P, VOID_P, SIZE, VOID_P]),
    "recipe_qualcomm_bias": (STATUS, [UINT, VOID_P, SIZE, ct.c_int, ct.c_int, VOID_P]),
    "recipe_static_scales": (STATUS, [UINT, FLOAT, VOID_P, SIZE, VOID_P, VOID_P]),
}


class Library:
    """The functions without their prefix, and the built-in formats by name."""

    def __init__(self, path):
        dll = ct.CDLL(str(pathlib.Path(path).resolve()))
        for name, (result, arguments) in SIGNATURES.items():
            function = getattr(dll, "fp8mac_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self.formats = [self.format_get(i) for i in range(enum("FORMAT_COUNT"))]
        self.by_name = {row.contents.name.decode(): row for row in self.formats}

    def convert_array(self, dst_name, dst_dtype, src_name, src, mode):
        """fp8mac_convert of a whole array of codes: (codes, flags)."""
        dst, flags = blank(src.size, dst_dtype), ct.c_uint32(0)
        status = self.convert(
            self.by_name[dst_name],
            dst.ctypes.data,
            self.by_name[src_name],
            src.ctypes.data,
            src.size,
            mode,
            ct.byref(flags),
        )
        assert status == OK, status
        return dst, flags.value


def blank(n, dtype):
    """An output buffer whose content is unlikely to be right already."""
    return np.frombuffer(b"\xa5" * (n * np.dtype(dtype).itemsize), dtype=dtype).copy()


def mode(rounding="NEAREST_EVEN", overflow="SATURATE"):
    return ConvertMode(enum("ROUND_" + rounding), enum("OVERFLOW_" + overflow))
