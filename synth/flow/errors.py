# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the flow, and how a command ends with one."""

import sys
from collections.abc import Callable
from pathlib import Path


class UsageError(Exception):
    """A wrong request. The message is one sentence that names the possible values."""


class FlowError(Exception):
    """A run that failed: the reason, and the log with the details."""

    def __init__(self, message: str, log: Path | None = None):
        super().__init__(message)
        self.log = log


class OutOfTime(FlowError):
    """A run that was ended because it took too long."""


class RejectedNetlist(FlowError):
    """A netlist that must not be quoted."""


def exit_status(goal: str, work: Callable[[], int | None]) -> int:
    """The exit status of the command behind `make GOAL`: that of `work`, 2 for a wrong request, 1 for a failed run."""
    try:
        return work() or 0
    except UsageError as error:
        print(f"make {goal}: {error}", file=sys.stderr)
        return 2
    except FlowError as error:
        see = f"; see {error.log}" if error.log else ""
        print(f"make {goal}: {error}{see}", file=sys.stderr)
        return 1
