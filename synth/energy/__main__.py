# SPDX-License-Identifier: Apache-2.0
"""`python synth/energy OPTION...`: the table of `make synth-energy`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from energy.cli import main

sys.exit(main(sys.argv[1:]))
