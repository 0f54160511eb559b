# SPDX-License-Identifier: Apache-2.0
"""python -m fp8net"""

import sys

from .cli import main

sys.exit(main())
