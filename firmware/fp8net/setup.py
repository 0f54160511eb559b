# SPDX-License-Identifier: Apache-2.0
"""Builds the package in a temporary folder, so that an installation leaves the tree as it was."""

import shutil
import tempfile

from setuptools import setup

SCRATCH = tempfile.mkdtemp(prefix="fp8net-build-")
try:
    setup(options={"build": {"build_base": SCRATCH}, "egg_info": {"egg_base": SCRATCH}})
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)
