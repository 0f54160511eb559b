# SPDX-License-Identifier: Apache-2.0
"""run.py --build FOLDER SOURCES...: builds element_top with Verilator and runs test_element.py on it under cocotb."""

import argparse
import os
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from cocotb.runner import get_runner

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("sources", nargs="+", type=Path)
    options = parser.parse_args()
    # The simulator's Python finds the packages that this one has.
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), *filter(None, sys.path)])
    runner = get_runner("verilator")
    runner.build(
        verilog_sources=[*(path.resolve() for path in options.sources), HERE / "element_top.sv"],
        hdl_toplevel="element_top",
        build_args=["-Wno-WIDTH"],
        build_dir=options.build.resolve(),
    )
    results = runner.test(
        hdl_toplevel="element_top",
        test_module="test_element",
        build_dir=options.build.resolve(),
        results_xml=str(options.build.resolve() / "results.xml"),
    )
    cases = list(ET.parse(results).iter("testcase"))
    failed = [case.get("name") for case in cases if case.find("failure") is not None]
    print(f"{len(cases) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
