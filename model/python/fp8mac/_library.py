# SPDX-License-Identifier: Apache-2.0
"""The extension as a C library: the layer library of the firmware, the model of cycles, and their structures."""

from __future__ import annotations

import ctypes
from typing import Any

from . import _core
from . import _descriptors as c
from ._formats import refuse

library = ctypes.CDLL(_core.__file__)
for _name, _kind in (
    *(("fp8mac_cycles_default", c.fp8mac_cycles_config), ("fp8rt_plan_caps", c.fp8rt_caps)),
    *(("fp8mac_cycles_stall_state", ctypes.c_uint64), ("convolution_outputs", ctypes.c_uint64)),
    *((name, ctypes.c_char_p) for name in ("fp8mac_status_string", "fp8rt_status_string")),
    *(("fp8rt_run_query", c.fp8rt_run), ("fp8rt_run_on", c.fp8rt_run)),
    *(("fp8rt_recorder_in", c.fp8rt_recorder), ("workload_usual", c.workload)),
):
    getattr(library, _name).restype = _kind
_STATUSES = {
    value: name.removeprefix("FP8MAC_ERR_")
    for name, value in c.CONSTANTS.items()
    if name.startswith("FP8MAC_ERR_")
}


def check(status: int, text: ctypes.c_char_p | None = None) -> None:
    """Raises Error for a status of the model, with the library's own text or this one."""
    if status != 0:
        own = text.value if text is not None else library.fp8mac_status_string(status)
        raise refuse(_STATUSES[status], own.decode().rstrip("."))  # type: ignore[union-attr]


def configured(element: str, **fields: Any) -> Any:
    """A configuration of the model of cycles that is possible: the default one but for these fields"""
    config = library.fp8mac_cycles_default()
    kind = c.CONSTANTS.get(f"FP8MAC_ELEMENT_{element.upper()}")
    check(c.CONSTANTS["FP8MAC_ERR_PRESET"] if kind is None else 0)
    config.element = kind
    for name, value in fields.items():
        setattr(config, name, value)
    parameter, range_ = ctypes.c_char_p(), ctypes.c_char_p()
    pointers = (ctypes.byref(x) for x in (config, parameter, range_))
    if library.fp8mac_cycles_check(*pointers) != 0:
        name, good = (x.value.decode() for x in (parameter, range_) if x.value is not None)
        raise refuse("CONFIG", f"{name} is not possible; {good} is expected")
    return config


def run_workload(config: Any, work: Any) -> Any:
    """The workload_result of the commands of a layer"""
    result, why = c.workload_result(), ctypes.c_char_p()
    check(library.workload_run(*(ctypes.byref(x) for x in (config, work, result, why))), why)
    return result
