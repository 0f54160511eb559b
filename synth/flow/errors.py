# SPDX-License-Identifier: Apache-2.0
"""What the flow says when it refuses or fails."""

from pathlib import Path


class UsageError(Exception):
    """A wrong request: one sentence that names what is right."""


class FlowError(Exception):
    """A run that failed: what happened, and the log that tells more."""

    def __init__(self, message: str, log: Path | None = None):
        super().__init__(message)
        self.log = log


class OutOfTime(FlowError):
    """A run that was broken off because it took too long."""


class RejectedNetlist(FlowError):
    """A netlist that must not be quoted."""
