# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a file, all of it at once."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Problem:
    """One reason why a file is refused."""

    where: str  # a node, a tensor or a file, as the user can find it
    what: str  # what is wrong, with the attribute and its value
    nearest: str = ""  # the nearest form that is supported

    def __str__(self) -> str:
        where = "".join(
            c if c.isprintable() else "_" for c in self.where
        )  # names may hold anything
        return f"{where}: {self.what}" + (f"; {self.nearest}" if self.nearest else "")


class Refused(ValueError):
    """The file or the arguments are refused. Nothing was written."""

    def __init__(self, problems: list[Problem] | Problem):
        self.problems = [problems] if isinstance(problems, Problem) else problems
        super().__init__("\n".join(map(str, self.problems)))


def words(error: Exception, most: int = 300) -> str:
    """What an exception says, in one line of at most so many characters."""
    return " ".join(str(error).split())[:most]


def refuse(where: str, what: str, nearest: str = "") -> Refused:
    return Refused(Problem(where, what, nearest))
