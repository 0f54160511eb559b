# SPDX-License-Identifier: Apache-2.0
"""Arrays of others: tensors of PyTorch, and objects with __dlpack__. The package never imports PyTorch itself."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ._formats import Format, format_of, format_of_dtype, refuse, torch_of


class TorchDtype(Protocol):
    """A dtype of PyTorch, as type checkers see it where PyTorch is not installed."""

    @property
    def is_floating_point(self) -> bool: ...
    @property
    def is_complex(self) -> bool: ...


class Held(NamedTuple):
    """An array of NumPy, and what it holds."""

    array: NDArray[Any]
    own: Format | None  # the format of its type; None for integers and others
    type: str


def is_typed(x: Any) -> bool:
    """Whether the elements of x have a type, unlike Python's own numbers."""
    return isinstance(x, Held) or hasattr(x, "__dlpack__")


def _from_tensor(torch: Any, name: str, x: Any) -> Held:
    """Codes as unsigned integers where NumPy does not have the tensor's type."""
    kind = str(x.dtype).removeprefix("torch.")
    try:
        x = x.detach().cpu().resolve_neg()
        if not kind.startswith("float8_") and kind != "bfloat16":
            array = x.numpy()
            return Held(array, format_of_dtype(array.dtype), kind)
        raw = x.contiguous().view(torch.uint8 if kind != "bfloat16" else torch.int16).numpy()
    except (TypeError, RuntimeError) as error:
        raise refuse("FORMAT", f"{name} holds {kind}, and is no dense tensor: {error}") from None
    return Held(raw.view(f"u{raw.dtype.itemsize}"), format_of(kind), kind)


def _from_dlpack(name: str, x: Any) -> Held:
    """NumPy reads its own types; PyTorch, if the program has imported it, those that NumPy does not have."""
    try:
        array = np.from_dlpack(x)
        return Held(array, format_of_dtype(array.dtype), array.dtype.name)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        torch = sys.modules.get("torch")
        if torch is None:
            raise refuse("FORMAT", f"{name} cannot be read by DLPack: {error}") from None
    try:
        return _from_tensor(torch, name, torch.from_dlpack(x))
    except (AttributeError, BufferError, RuntimeError, TypeError) as error:
        raise refuse("FORMAT", f"{name} cannot be read by DLPack: {error}") from None


def held(name: str, x: Any) -> Held:
    """An array in this machine's byte order, because its codes are then those of its bytes."""
    if isinstance(x, Held):
        return x
    if np.ma.is_masked(x):
        raise refuse("FORMAT", f"{name} has masked elements, which have no value; fill them")
    torch = torch_of(x)
    if torch is not None:
        return _from_tensor(torch, name, x)
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
        return _from_dlpack(name, x)
    array = np.asarray(x)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return Held(array, format_of_dtype(array.dtype), array.dtype.name)
