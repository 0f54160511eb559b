# SPDX-License-Identifier: Apache-2.0
"""The start of the program fp8mac-plan"""

import runpy

runpy.run_module("fp8mac_plan", run_name="__main__", alter_sys=True)
