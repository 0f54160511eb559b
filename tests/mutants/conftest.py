# SPDX-License-Identifier: Apache-2.0
"""How the tests of the tool compare."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Bench

Equal = Callable[[str, object, object], None]


@pytest.fixture
def equal(bench: Bench) -> Equal:
    """One check, which says what it found if that is wrong."""

    def check(what: str, found: object, wanted: object) -> None:
        bench.check(f"{what}: is {found!r}, must be {wanted!r}", found == wanted)

    return check
