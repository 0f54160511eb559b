# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the flow."""

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
