# SPDX-License-Identifier: Apache-2.0
"""model/SPEED.md lists every GEMM that runs on the definition: the list is what the kernels' dispatcher says.
tests/model/test_fast.c runs a GEMM that is refused for each reason."""

import re
import subprocess
from pathlib import Path


def test_list_is_the_dispatchers(request):
    program = request.config.getoption("--program")
    said = subprocess.run([program, "refusals"], capture_output=True, text=True, check=True).stdout
    page = Path("model/SPEED.md").read_text()
    start = page.index("<!-- from: test_fast refusals -->")
    written = page[start:].split("\n\n", 2)[1]
    listed = [" ".join(item.split()) for item in re.split(r"(?m)^- ", written) if item.strip()]
    wanted = [line.removeprefix("- ") for line in said.splitlines()]
    assert wanted and listed == wanted, "\n".join(["the page should have:", *wanted])
