# SPDX-License-Identifier: Apache-2.0
"""Faults that are seeded in the library of commands under its bench, as those of faults.py in the RTL.

python tests/rtl/command_faults.py FOLDER SOURCE...

copies the SOURCEs into FOLDER, with the faults, and adds seeded_fault.c: the environment variable SEEDED_FAULT of a run
chooses one.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.rtl.faults import Fault, chosen

ALL = "4_4_16_128_block_f19"  # the bench that finds a fault
INTEGERS = "2_2_4_64_int8_requantise"


def faults_of(file: str, bench: str, *rows: tuple[str, str, str, str]) -> tuple[Fault, ...]:
    return tuple(Fault(name, file, place, old, new, bench) for name, place, old, new in rows)


# Their numbers are their positions, from 1 on.
FAULTS = (
    *faults_of(
        "walk.c",
        ALL,
        (
            "half of what is left of K is rounded down",
            "return @ / (2u * granule) * granule;",
            "((left & 0x1ffffu) + 2u * granule - 1u)",
            "(left & 0x1ffffu)",
        ),
        (
            "the streamed operand is visited forwards alone",
            "k->backwards ^= @;",
            "!v->stream_more",
            "0",
        ),
        ("the cap of a chunk stays", "k->cap = @ ? 2u * k->cap : k->tile_k;", "doubles", "0"),
        ("B is there although its columns move", "k->has_b = whole && @;", "!v->n", "1"),
        (
            "D of a reduction has n columns",
            "const uint32_t d_columns = @ ? 1 : c->n;",
            "fp8mac_command_is_reduction(c)",
            "0",
        ),
        ("addresses wrap", "return @;", "(all & BEYOND) != 0", "0"),
        (
            "an image has one line more",
            "step_of(c->a.stride, @)",
            "(c->image.height - 1u) & 0xffffu",
            "c->image.height",
        ),
        (
            "an image's rows are visited twice",
            "(c->mode.conv_a && @ && k->n_more)",
            "once",
            "0",
        ),
        ("a block begins with the last phase", "k->phase = @ ? 0 : k->phase;", "blocks", "0"),
        (
            "the first row sees more columns than there are",
            "@ || c->n == 0",
            "c->k > c->n",
            "0",
        ),
        (
            "a row has any number of columns",
            "if (rows && (@",
            "c->n > ROWS_COLUMNS_MOST",
            "0",
        ),
        (
            "MX scales begin within 32 bytes",
            "t->mx_first = k->k_done >> 5 & @;",
            "(k->caps->beat_bytes - 1u)",
            "31u",
        ),
        ("images with pairs have half the rows", "d_rows = (@ ? 2u", "has_pairs(c)", "0"),
    ),
    *faults_of(
        "check.c",
        ALL,
        (
            "the last shape with the fewest passes",
            "best = @ ?",
            "passes_of(down, across, shape) < passes_of(down, across, best)",
            "passes_of(down, across, shape) <= passes_of(down, across, best)",
        ),
        ("an image has no segments", "|| @);", "image->segments == 0", "0"),
        (
            "a depthwise segment has any bytes",
            "t->reuse_a || @;",
            "c->image.segment_bytes == caps->beat_bytes",
            "1",
        ),
        (
            "the last byte is no address",
            "r->stride > @;",
            "1ull << 32",
            "(1ull << 32) - 1u",
        ),
        ("a single row has a stride", "(@ && r->stride % beat != 0)", "r->rows > 1", "1"),
        (
            "int8 overflows",
            "(is_int8(c->d.fmt) && @)",
            "c->finish.overflow != FP8MAC_OVERFLOW_SATURATE",
            "0",
        ),
        (
            "a scaling exponent of 33",
            "s > @;",
            "FP8MAC_SCALE_EXPONENT_MAX",
            "FP8MAC_SCALE_EXPONENT_MAX + 1",
        ),
        ("an infinite scale", "x == 0 || @;", "x >> 23 == 0xffu", "0"),
        (
            "clamps are compared as integers",
            "|| @));",
            "rank_of(lo) > rank_of(hi)",
            "(int32_t)lo > (int32_t)hi",
        ),
        (
            "accumulators go on in another shape",
            "|| @ ||",
            "t->shape != before->shape",
            "0",
        ),
        ("an operand is reused with other products", "!same || @ ||", "t->k != before->k", "0"),
        (
            "a table that was not loaded",
            "(table != 0 && @)",
            "(tables >> (table - 1u) & 1u) == 0",
            "0",
        ),
        ("part of a block is kept", "(t->acc_keep && @)", "t->k % caps->block != 0", "0"),
        (
            "twice the passes that there are accumulators for",
            "passes > @)",
            "(uint32_t)caps->acc_tiles >> PASS_TILES_LOG2",
            "(uint32_t)caps->acc_tiles >> 1",
        ),
        (
            "scales are judged although nothing is finished",
            "if (@ && scales_bad(caps, c))",
            "!t->acc_keep",
            "1",
        ),
    ),
    *faults_of(
        "rows.c",
        ALL,
        ("a norm is causal", "(c->k != 0 || @)", "c->mode.causal", "0"),
        ("argmax gives codes", "is_unscaled(c) && @)", "c->d.fmt == FP8MAC_FP32", "1"),
        ("any row command has gamma", "(c->b.scale_vec ? @ :", "!norm", "0"),
        ("a layer norm has two sums", "return @ ? FP8MAC_STEP_SUM", "phase == 0", "1"),
    ),
    *faults_of(
        "regions.c",
        ALL,
        (
            "results of a reduction are bytes",
            "FP8MAC_REGION_D, c->d.addr, c->m, @);",
            "VALUE_BYTES",
            "1",
        ),
        (
            "a bias alone is not read",
            "|| c->b.scale_vec || @)",
            "c->finish.bias_en",
            "0",
        ),
        ("C is read with a beta of 0", "if (@) {", "fp8mac_command_reads_c(c)", "c->c.en"),
        (
            "MX scales of B are of A's rows",
            "FP8MAC_REGION_MX_B, c->b.mx_addr, @, c->b.mx_stride,",
            "c->n",
            "c->m",
        ),
    ),
    *faults_of(
        "words.c",
        ALL,
        ("beta is read of C's stride", "c->c.beta = @;", "word[23]", "word[22]"),
        ("D's stride is written one off", "word[5] = @;", "c->d.stride", "c->d.stride + 1u"),
    ),
    *faults_of(
        "walk.c",
        INTEGERS,
        (
            "integer scales have 4 bytes",
            "c->b.scale_vec ? @ * columns : 0",
            "scale_b_bytes(k->caps)",
            "4u",
        ),
    ),
    *faults_of(
        "check.c",
        INTEGERS,
        ("a shift of 31", "shift > @;", "FP8MAC_SHIFT_MOST", "FP8MAC_SHIFT_MOST + 1"),
        ("any zero point", "|| @ ||", "is_no_int8(c->d.scale)", "0"),
        (
            "an integer accumulator takes any number of products",
            "t->terms > @;",
            "1ull << caps->element.terms_log2",
            "1ull << 40",
        ),
        (
            "maxima are there without element-wise commands",
            "asked |= @ ? FP8MAC_FUNCTION_ELEMENTWISE",
            "x || c->mode.maximum",
            "x",
        ),
    ),
)

CHOICE = """#include <stdlib.h>

unsigned seeded_fault;

__attribute__((constructor)) static void choose(void)
{
    const char *number = getenv("SEEDED_FAULT");
    seeded_fault = number == NULL ? 0 : (unsigned)strtoul(number, NULL, 10);
}
"""


def main(folder: Path, *sources: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "seeded_fault.c").write_text(CHOICE)
    for source in sources:
        text = chosen(source.read_text(), source.name, FAULTS)
        (folder / source.name).write_text(f"extern unsigned seeded_fault;\n{text}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
