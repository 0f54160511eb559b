# SPDX-License-Identifier: Apache-2.0
"""`python synth OPTION...`: the flow of `make synth`."""

import sys

from flow.cli import main

sys.exit(main(sys.argv[1:]))
