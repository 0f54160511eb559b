# SPDX-License-Identifier: Apache-2.0
# Generated from rtl/regs/fp8mac.rdl by rtl/regs/command_c.py (`make regs`).
"""The codes of a command's fields, and of its error. fp8mac/codes.h says what each one means."""

from __future__ import annotations

from enum import IntEnum


class Codes(IntEnum):
    """Codes whose words are their names in small letters, with hyphens."""

    @property
    def word(self) -> str:
        return self.name.lower().replace("_", "-")

    @classmethod
    def words(cls) -> tuple[str, ...]:
        return tuple(code.word for code in cls)

    @classmethod
    def of(cls, word: str) -> int:
        return cls[word.upper().replace("-", "_")].value


class Operation(Codes):
    """What a command computes."""

    GEMM = 0
    ADD = 1
    MULTIPLY = 2
    ROWS = 3


class RowsOperation(Codes):
    """What a row command computes."""

    SUM = 0
    SUM_OF_SQUARES = 1
    MAXIMUM = 2
    ARGMAX = 3
    RMS_NORM = 4
    LAYER_NORM = 5
    SOFTMAX = 6
    SIGMOID = 7
    TANH = 8
    MAGNITUDE = 9
    QUANTISE = 10
    QUANTISE_MX = 11


class Activation(Codes):
    """The activation of an epilogue."""

    NONE = 0
    RELU = 1
    CLAMP = 2


class Overflow(Codes):
    """What a result too large becomes."""

    SATURATE = 0
    SATURATE_FINITE = 1
    IEEE = 2


class PassShape(Codes):
    """The tiles that are computed in turn."""

    ACROSS = 0
    SQUARE = 1
    DOWN = 2
    AUTOMATIC = 3


class DTable(Codes):
    """The table that gives the codes of D; NONE counts as one of them."""

    NONE = 0
    TABLE_0 = 1
    TABLE_1 = 2


class CommandError(Codes):
    """Why a command failed."""

    NONE = 0
    SHAPE = 1
    ALIGN = 2
    RANGE = 3
    MODE = 4
    SCALE_EXP = 5
    SCALE = 6
    SEQUENCE = 7
    READ_SLV = 8
    READ_DEC = 9
    WRITE_SLV = 10
    WRITE_DEC = 11
    QUEUE_FULL = 12
    TIMEOUT = 13
    RECORD = 14
    DROPPED = 15


class Fp8Format(Codes):
    """The format of an operand of FP8."""

    E4M3FN = 0
    E5M2 = 1
    E4M3FNUZ = 2
    E5M2FNUZ = 3


class DFormat(Codes):
    """The format of D, of C, and of the X of an element-wise or row command."""

    E4M3FN = 0
    E5M2 = 1
    E4M3FNUZ = 2
    E5M2FNUZ = 3
    FLOAT16 = 4
    BFLOAT16 = 5
    FLOAT32 = 6
    INT8 = 7
