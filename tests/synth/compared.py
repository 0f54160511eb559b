# SPDX-License-Identifier: Apache-2.0
"""A bench of the energy tests that says what it found."""

from __future__ import annotations

from tests.conftest import Bench


class Compared(Bench):
    """A check names what it found."""

    def check(self, name: str, found: object, wanted: object = True) -> None:
        super().check(f"{name}: {found}, not {wanted}", found == wanted)

    def near(self, name: str, found: float, wanted: float) -> None:
        self.check(f"{name}: {found} is {wanted}", abs(found - wanted) < 1e-9)

    def raises(self, name: str, kind: type[Exception], work) -> None:
        super().raises(name, kind, "", work)
