# SPDX-License-Identifier: Apache-2.0
"""The format table: C, SystemVerilog and the definition agree; every code decodes as in ml_dtypes and NumPy."""

import ctypes as ct
import pathlib
import re

import clib
import ml_dtypes
import numpy as np
import pytest
from oracle import exact

RTL = pathlib.Path(__file__).resolve().parents[2] / "rtl"
PACKAGES = [RTL / "fp8mac_codes_pkg.sv", RTL / "fp8mac_pkg.sv"]
DTYPES = {
    "e4m3fn": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
}
ALIASES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}
NAN_ENCODINGS = {
    "ieee": "NAN_IEEE",
    "all_ones": "NAN_ALL_ONES",
    "negative_zero": "NAN_NEGATIVE_ZERO",
}
CLASSES = {
    exact.ZERO: "CLASS_ZERO",
    exact.FINITE: "CLASS_FINITE",
    exact.INF: "CLASS_INF",
    exact.NAN: "CLASS_NAN",
}
C_NAMES = ("E4M3FN", "E5M2", "E4M3FNUZ", "E5M2FNUZ", "FP16", "BF16", "FP32")


# ---- the SystemVerilog package ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def source():
    return re.sub(r"//.*", "", "".join(package.read_text() for package in PACKAGES))


def sv_number(text):
    _, base, digits = re.fullmatch(r"\s*(\d*)'([dhb])([0-9a-f_]+)\s*", text).groups()
    return int(digits.replace("_", ""), {"d": 10, "h": 16, "b": 2}[base])


def sv_enum(source, type_name):
    body = re.search(r"typedef enum logic[^{]*\{([^}]*)\}\s*" + type_name + r"\s*;", source).group(
        1
    )
    return {name: sv_number(value) for name, value in re.findall(r"(\w+)\s*=\s*([\w']+)", body)}


def sv_struct_fields(source, type_name):
    """Field names from the least significant bit up."""
    body = re.search(r"typedef struct packed \{([^}]*)\}\s*" + type_name + r"\s*;", source).group(1)
    return re.findall(r"(\w+)\s*;", body)[::-1]


def sv_rows(source):
    """The entries of fp8_format: label of the case -> fields of fp8_format_t."""
    body = re.search(
        r"function automatic fp8_format_t fp8_format\(.*?\);(.*?)endfunction", source, re.S
    ).group(1)
    fields = sv_struct_fields(source, "fp8_format_t")[::-1]
    encodings = sv_enum(source, "nan_encoding_e")
    rows = {}
    for label, values in re.findall(r"(\w+):\s*return\s*'\{([^}]*)\};", body):
        values = [v.strip() for v in values.split(",")]
        rows[label] = dict(
            zip(fields, (encodings[v] if v in encodings else sv_number(v) for v in values))
        )
    return rows


def sv_parameter(source, name):
    value = re.search(r"parameter [^;]*?\b" + name + r"\s*=\s*([^;]+);", source).group(1)
    return sv_number(value) if "'" in value else int(value)


def test_package(bench, lib, source):
    rows = sv_rows(source)
    names = sv_enum(source, "fp8_fmt_e")
    bench.check("package: four formats", len(rows), 4)
    labels = list(rows)
    for label, code in names.items():
        row = rows.get(label, rows[labels[-1]])
        c_row = lib.format_get(code).contents
        bench.check(
            "package: order of the formats", labels[code] in (label, "default"), True, label
        )
        for field, value in row.items():
            bench.check(
                "package: format equals that of the C table",
                value,
                int(getattr(c_row, field)),
                f"{label}.{field}",
            )
    for field in (
        "exponent_bits",
        "mantissa_bits",
        "bias",
        "has_inf",
        "has_negative_zero",
        "nan_encoding",
    ):
        bench.check("package: struct has every field", field in rows[labels[0]], True, field)


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def test_package_codes(bench, source):
    """Every enumerator that the registers and flags share with the C headers has the same code."""
    shared = [
        ("fp8_fmt_e", "Fmt", C_NAMES[:4], ""),
        ("dst_fmt_e", "Dst", (*C_NAMES, "INT8"), ""),
        ("acc_fmt_e", "Acc", ("FP32", "FP16"), "ACC_"),
        ("overflow_e", "Ovf", ("SATURATE", "SATURATE_FINITE", "IEEE"), "OVERFLOW_"),
        ("activation_e", "Act", ("NONE", "RELU", "CLAMP"), "ACT_"),
        ("nan_encoding_e", "Nan", ("IEEE", "ALL_ONES", "NEGATIVE_ZERO"), "NAN_"),
    ]
    for type_name, sv_prefix, members, c_prefix in shared:
        codes = sv_enum(source, type_name)
        bench.check("package: enumerations complete", len(codes), len(members), type_name)
        for member in members:
            bench.check(
                "package: enumerators",
                codes.get(sv_prefix + camel(member)),
                clib.enum(c_prefix + member),
                sv_prefix + camel(member),
            )
    for bit, name in enumerate(sv_struct_fields(source, "flags_t")):
        bench.check("package: flag bits", 1 << bit, clib.enum("FLAG_" + name.upper()), name)
    header = (clib.INCLUDE / "dot.h").read_text()
    for sv_name, c_name in (("ScaleExpMin", "MIN"), ("ScaleExpMax", "MAX")):
        value = int(
            re.search(rf"#define FP8MAC_SCALE_EXPONENT_{c_name} \(?(-?\d+)\)?", header).group(1)
        )
        bench.check(
            "package: scaling exponent limits", sv_parameter(source, sv_name), value, sv_name
        )
    bench.check("package: NaN", sv_parameter(source, "Fp32Nan"), exact.NAN32)
    bench.check("package: one", exact.f32(sv_parameter(source, "Fp32One")), 1.0)


# ---- the C table ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", range(len(exact.ARRAY_FORMATS)))
def test_row(bench, lib, index):
    row = list(exact.ARRAY_FORMATS.values())[index]
    p = lib.format_get(index)
    c = p.contents
    expected = {
        "name": row.name.encode(),
        "is_signed": True,
        "exponent_bits": row.exponent_bits,
        "mantissa_bits": row.mantissa_bits,
        "bias": row.bias,
        "has_inf": row.has_inf,
        "has_negative_zero": row.has_negative_zero,
        "nan_encoding": clib.enum(NAN_ENCODINGS[row.nan]),
        "exponent_zero": clib.enum("EXPONENT_ZERO_SUBNORMAL"),
    }
    for field, want in expected.items():
        bench.check("table: fields of the C entry", getattr(c, field), want, f"{row.name}.{field}")
    bits = exact.width(row)
    bench.check("table: identifier", clib.enum(C_NAMES[index]), index, row.name)
    bench.check("table: valid", lib.format_validate(p), clib.OK, row.name)
    bench.check("table: bits", lib.format_bits(p), bits, row.name)
    bench.check("table: bytes", lib.format_bytes(p), bits // 8, row.name)
    bench.check("table: NaN code", lib.format_nan_code(p), exact.nan_code(row), row.name)
    largest = lib.format_max_code(p)
    smallest_normal = 1 << row.mantissa_bits
    for name, code, want in (
        ("max", largest, exact.EXTREMES[row.name][0]),
        ("min normal", smallest_normal, exact.EXTREMES[row.name][1]),
        ("min subnormal", 1, exact.EXTREMES[row.name][2]),
    ):
        bench.check(f"table: {name}", lib.value_to_double(lib.decode(p, code)), want, row.name)
    by_name = lib.format_by_name(row.name.encode())
    bench.check("table: by name", ct.addressof(by_name.contents), ct.addressof(c), row.name)


def test_table(bench, lib):
    # INT8 comes behind the floating-point formats.
    bench.check(
        "table: number of formats", clib.enum("ARRAY_FORMAT_COUNT"), len(exact.ARRAY_FORMATS) + 1
    )
    bench.check("table: identifier of INT8", clib.enum("INT8"), len(exact.ARRAY_FORMATS))
    for alias, name in ALIASES.items():
        row = lib.format_by_name(alias.encode())
        bench.check("table: aliases", bool(row) and row.contents.name, name.encode(), alias)
    for wrong in (b"", b"e4m4", b"E4M3FN", b"float8", b"e4m3fn "):
        bench.check("table: unknown name", bool(lib.format_by_name(wrong)), False, wrong)
    for wrong in (clib.enum("FORMAT_COUNT"), 255):
        bench.check("table: unknown identifier", bool(lib.format_get(wrong)), False, wrong)
    bench.check("table: NULL is not a format", lib.format_validate(None), clib.enum("ERR_FORMAT"))


def test_malformed(bench, lib):
    for field, value in (
        ("exponent_bits", 0),
        ("exponent_bits", 9),
        ("mantissa_bits", 24),
        ("nan_encoding", 17),
        ("exponent_zero", 17),
    ):
        row = clib.Format.from_buffer_copy(lib.by_name["e4m3fn"].contents)
        setattr(row, field, value)
        bench.check(
            "table: malformed format refused",
            lib.format_validate(ct.byref(row)),
            clib.enum("ERR_FORMAT"),
            f"{field} = {value}",
        )


# ---- decoding ---------------------------------------------------------------------------------------------------


@pytest.fixture(params=exact.ARRAY_FORMATS.values(), ids=lambda row: row.name)
def row(request):
    return request.param


@pytest.fixture
def codes(row, rng):
    """Every code up to 16 bits, else a seeded sample with every exponent and extreme mantissas."""
    if exact.width(row) <= 16:
        return np.arange(1 << exact.width(row), dtype=np.uint32)
    heads = np.arange(512, dtype=np.uint32) << 23
    tails = np.array([0, 1, 2, 0x3FFFFF, 0x400000, 0x400001, 0x7FFFFE, 0x7FFFFF], dtype=np.uint32)
    return np.concatenate(
        [(heads[:, None] | tails).ravel(), rng.integers(0, 1 << 32, 100000, dtype=np.uint32)]
    )


def container(row):
    return {8: np.uint8, 16: np.uint16, 32: np.uint32}[exact.width(row)]


def reference(row, codes):
    """The codes as doubles, by ml_dtypes or NumPy. A NaN has the sign of its code."""
    with np.errstate(all="ignore"):
        return codes.astype(container(row)).view(DTYPES[row.name]).astype(np.float64)


def same_number(got, want):
    """Equal: zeros have the same sign, and a NaN equals a NaN."""
    return (got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got) & np.isnan(want)


def test_decode(bench, lib, row, codes):
    """The decoded value in full, and as a double."""
    p, want_double = lib.by_name[row.name], reference(row, codes)
    got_double = np.empty(codes.size)
    for i, code in enumerate(codes.tolist()):
        v = lib.decode(p, code)
        cls, sign, number, exponent = exact.decode(row, code)
        want = (clib.enum(CLASSES[cls]), bool(sign), number, exponent)
        bench.check(
            f"decode {row.name}: value", (v.cls, v.sign, v.significand, v.exponent), want, hex(code)
        )
        got_double[i] = lib.value_to_double(v)
    ok = same_number(got_double, want_double)
    bench.arrays(
        f"decode {row.name}: double against {DTYPES[row.name].__module__}",
        ok,
        np.ones_like(ok),
        lambda i: f"{codes[i]:#x}: {got_double[i]} for {want_double[i]}",
    )
    nan_signs = np.isnan(got_double)
    sign_bits = (codes[nan_signs] & exact.sign_bit(row)) != 0
    bench.arrays(
        f"decode {row.name}: a NaN's double has its sign",
        np.signbit(got_double[nan_signs]),
        sign_bits,
    )


def test_upper_bits_ignored(bench, lib, row):
    if exact.width(row) == 32:
        return
    p, high = lib.by_name[row.name], 0xFFFFFFFF & -(1 << exact.width(row))
    for code in (0, 1, exact.max_code(row), exact.nan_code(row), exact.sign_bit(row)):
        a, b = lib.decode(p, code), lib.decode(p, code | high)
        bench.check(
            "decode: bits above the code ignored",
            (a.cls, a.sign, a.significand, a.exponent),
            (b.cls, b.sign, b.significand, b.exponent),
            f"{row.name} {code:#x}",
        )


def test_widening(bench, lib, row, codes):
    """To FP32 by fp8mac_convert and fp8mac_dequantize; a NaN keeps its sign in a conversion."""
    src = codes.astype(container(row))
    with np.errstate(invalid="ignore"):
        want = reference(row, codes).astype(np.float32)
    nan = np.isnan(want)
    want_bits = want.view(np.uint32).copy()
    want_bits[nan] = np.where(codes[nan] & exact.sign_bit(row), 0xFFC00000, exact.NAN32)
    got, flags = lib.convert_array("float32", np.uint32, row.name, src, clib.mode())
    bench.arrays(f"convert {row.name} to float32", got, want_bits, lambda i: hex(codes[i]))
    bench.check("convert to float32: no flags", flags, 0, row.name)
    back, flags = lib.convert_array(row.name, src.dtype, "float32", got, clib.mode())
    number = ~nan & ~np.isinf(want)
    bench.arrays(
        f"convert {row.name} to float32 and back",
        back[number],
        src[number],
        lambda i: hex(src[number][i]),
    )
    dst = clib.blank(src.size, np.float32)
    status = lib.dequantize(dst.ctypes.data, lib.by_name[row.name], src.ctypes.data, src.size, 1.0)
    bench.check("dequantize: status", status, clib.OK, row.name)
    number = ~nan
    bench.arrays(f"dequantize {row.name} by 1", dst.view(np.uint32)[number], want_bits[number], hex)
    bench.arrays(
        f"dequantize {row.name}: canonical NaN",
        dst.view(np.uint32)[nan],
        np.full(nan.sum(), exact.NAN32, np.uint32),
        lambda i: hex(codes[nan][i]),
    )


def test_doubles(bench, lib, rng):
    """value_from_double is exact: to a double and back is the identity, and the parts multiply out."""
    patterns = rng.integers(0, 1 << 64, 20000, dtype=np.uint64).view(np.float64)
    corners = np.array(
        [
            0.0,
            -0.0,
            np.inf,
            -np.inf,
            np.nan,
            -np.nan,
            5e-324,
            -5e-324,
            2.0**-1022,
            np.pi,
            np.nextafter(2.0**-1022, 0),
            np.finfo(np.float64).max,
            1.0,
            -1.0,
        ]
    )
    for x in np.concatenate([corners, patterns]):
        v = lib.value_from_double(x)
        cls, sign, number, exponent = exact.from_double(x)
        bench.check(
            "value_from_double: class and sign",
            (v.cls, v.sign),
            (clib.enum(CLASSES[cls]), bool(sign)),
            x,
        )
        got = v.significand << 1100 + v.exponent if v.cls == clib.enum("CLASS_FINITE") else 0
        bench.check("value_from_double: exact", got, number << 1100 + exponent if number else 0, x)
        y = lib.value_to_double(v)
        bench.check(
            "value_to_double: identity", bool(same_number(np.float64(y), np.float64(x))), True, x
        )
