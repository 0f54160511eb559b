# SPDX-License-Identifier: Apache-2.0
"""The option of the recipes."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="build the RTL, too")
