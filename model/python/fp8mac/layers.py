# SPDX-License-Identifier: Apache-2.0
"""What layers of the firmware become: their scratch, their commands and the accelerator's cycles.

The functions are those of the firmware's layer library (fp8rt/layers.h), over an accelerator that is described and runs
nothing. So tensors have addresses without memory, but for the values that a layer says it checks. Descriptors are dicts, whose
keys are the fields of C: numbers, names of constants, dicts of structures, and Pointer for what a field points to.

    run = Device().query()
    run.call("fp8rt_add", "fp8rt_arithmetic_desc", {"x": Pointer("fp8rt_tensor", {"data": 4096, "rows": 8, "cols": 32}), ...})
    run.scratch, run.list_bytes
"""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any

from ._core import Error
from ._library import c, configured, library

LIST_ALIGN = c.CONSTANTS["FP8RT_NETWORK_ALIGN"]


@dataclasses.dataclass(frozen=True)
class Pointer:
    """The address of a structure"""

    kind: str
    fields: dict[str, Any]


class LayerError(Error):
    """A layer that the library refuses"""


class _Memory:
    """Structures with what they point to"""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def make(self, kind: type[ctypes.Structure], fields: dict[str, Any]) -> ctypes.Structure:
        made = kind()
        self.kept.append(made)
        self._fill(made, fields)
        return made

    def _fill(self, made: ctypes.Structure, fields: dict[str, Any]) -> None:
        kinds = dict(made._fields_)  # type: ignore[misc]
        for name, value in fields.items():
            if isinstance(value, dict):
                self._fill(getattr(made, name), value)
            elif isinstance(value, list):
                for i, one in enumerate(value):
                    self._fill(getattr(made, name)[i], one)
            elif isinstance(value, Pointer):
                target = self.make(getattr(c, value.kind), value.fields)
                setattr(made, name, ctypes.addressof(target))
            elif isinstance(value, str):
                setattr(made, name, c.CONSTANTS[value])
            else:
                setattr(made, name, float(value) if kinds[name] is ctypes.c_float else value)


class Device:
    """The default accelerator with another element, bus, columns or lanes. `depthwise` False: without its depthwise commands, as an
    accelerator of another shape is."""

    def __init__(
        self,
        element: str = "block",
        axi_data_w: int = 128,
        columns: int = 4,
        *,
        lanes: int = 16,
        depthwise: bool = True,
        requantise: bool = False,
    ) -> None:
        self.config = configured(
            element, axi_data_w=axi_data_w, cols=columns, lanes=lanes, requantise=requantise
        )
        self.caps = library.fp8rt_plan_caps(ctypes.byref(self.config))
        if not requantise:
            self.caps.functions |= c.CONSTANTS["FP8MAC_FUNCTION_ROWS"]
        if not depthwise:
            self.caps.functions &= ~c.CONSTANTS["FP8MAC_FUNCTION_DEPTHWISE"]
        self._port = c.fp8rt_port(context=ctypes.addressof(self.caps))
        self.device = c.fp8rt_device()
        library.fp8rt_device_open(ctypes.byref(self.device), ctypes.byref(self._port))

    def ask(self, function: str, *arguments: int | str | Pointer) -> int:
        """A function of the library that says a number about the accelerator: an argument may be the name of a constant."""
        memory = _Memory()
        values = [
            c.CONSTANTS[x]
            if isinstance(x, str)
            else ctypes.byref(memory.make(getattr(c, x.kind), x.fields))
            if isinstance(x, Pointer)
            else x
            for x in arguments
        ]
        return getattr(library, function)(ctypes.byref(self.caps), *values)

    def query(self) -> Run:
        """Layers are checked, and what they need is added up."""
        return Run(self, library.fp8rt_run_query(ctypes.byref(self.device)))

    def record(self, list_bytes: int, scratch: int, scratch_bytes: int) -> Run:
        """Layers are recorded as a list of so many bytes. `scratch` is an address, at a beat."""
        run = library.fp8rt_run_on(
            ctypes.byref(self.device), ctypes.c_void_p(scratch), ctypes.c_size_t(scratch_bytes)
        )
        return Run(self, run, list_bytes)


class Run:
    """Layers, one behind the other. It stays where it is while it is in use."""

    def __init__(
        self, device: Device, run: ctypes.Structure, list_bytes: int | None = None
    ) -> None:
        self.device, self.run = device, run
        self.recorder: ctypes.Structure | None = None
        self._labels: list[bytes] = []
        if list_bytes is not None:
            self._list = ctypes.create_string_buffer(list_bytes + LIST_ALIGN)
            start = -(-ctypes.addressof(self._list) // LIST_ALIGN) * LIST_ALIGN
            self.recorder = library.fp8rt_recorder_in(
                ctypes.c_void_p(start), ctypes.c_size_t(list_bytes)
            )
            self.run.recorder = ctypes.addressof(self.recorder)

    def call(self, function: str, kind: str, fields: dict[str, Any], label: str = "") -> None:
        """Calls a layer with a descriptor. Raises LayerError."""
        memory = _Memory()
        descriptor = memory.make(getattr(c, kind), fields)
        if label:
            self._labels.append(label.encode())
            self.run.label = ctypes.cast(ctypes.c_char_p(self._labels[-1]), ctypes.c_void_p)
        self._check(getattr(library, function)(ctypes.byref(self.run), ctypes.byref(descriptor)))

    def plan(self, kind: str, fields: dict[str, Any]) -> None:
        """Records one command by its own descriptor: "elementwise" or "rows". Raises LayerError."""
        plan = _Memory().make(getattr(c, f"fp8rt_{kind}_plan"), {"desc": fields})
        function = getattr(library, f"fp8rt_plans_{kind}")
        result = c.fp8rt_gemm_result()
        self._check(function(*(ctypes.byref(x) for x in (self.run, plan, result))))

    def load_table(self, table: int, codes: int) -> None:
        """A table of codes for the layers that follow; `codes` is its address."""
        address = ctypes.c_void_p(codes)
        self._check(library.fp8rt_load_table(ctypes.byref(self.run), table, address))

    def _check(self, status: int) -> None:
        if self.run.status != 0:
            text = ctypes.create_string_buffer(256)
            library.fp8rt_run_message(ctypes.byref(self.run), text, ctypes.c_size_t(len(text)))
            raise LayerError(text.value.decode())
        if status != 0:
            raise LayerError(library.fp8rt_status_string(status).decode())

    @property
    def scratch(self) -> int:
        return self.run.peak

    @property
    def list_bytes(self) -> int:
        """Of a query: the memory for a recording"""
        return self.run.record_bytes

    @property
    def commands(self) -> int:
        """Of a recording"""
        assert self.recorder is not None
        return self.recorder.commands

    @property
    def pauses(self) -> int:
        """Of a recording: parts of the core, for which the list pauses"""
        return library.fp8rt_plan_calls(ctypes.byref(self.recorder))

    def cycles(self) -> int:
        """The accelerator's for the recorded commands, one by one"""
        assert self.recorder is not None
        cycles = ctypes.c_uint64()
        status = library.fp8rt_plan_cycles(
            ctypes.byref(self.recorder), ctypes.byref(self.device.config), ctypes.byref(cycles)
        )
        if status != 0:
            raise LayerError("the accelerator refuses a command of the layer")
        return cycles.value
