# SPDX-License-Identifier: Apache-2.0
"""The floating-point environment of public functions: to nearest even, subnormals kept, no traps.

The caller may have another one: torch.set_flush_denormal(True) sets one, and so does a library that was built with
-ffast-math. The C library establishes its own environment. Python and NumPy do not, and they convert numbers for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from . import _core

P = ParamSpec("P")
R = TypeVar("R")


def own_environment(function: Callable[P, R]) -> Callable[P, R]:
    """The function in the library's environment. The caller's is restored, with its exception flags."""

    @functools.wraps(function)
    def inside(*arguments: P.args, **keywords: P.kwargs) -> R:
        caller = _core.enter_environment()
        try:
            return function(*arguments, **keywords)
        finally:
            _core.leave_environment(caller)

    return inside
