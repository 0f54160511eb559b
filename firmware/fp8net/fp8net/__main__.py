# SPDX-License-Identifier: Apache-2.0
"""python -m fp8net"""

import os
import sys

# More threads wait for each other in small products.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from .cli import main

sys.exit(main())
