# SPDX-License-Identifier: Apache-2.0
"""What a user did wrong, in one sentence."""


class PlanError(Exception):
    """Ends the run with status 2; its text says what was expected."""


class ToolEnded(PlanError):
    """A signal ended the tool: nothing is known of the configuration."""
