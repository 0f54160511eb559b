# SPDX-License-Identifier: Apache-2.0
import sys

if sys.version_info < (3, 11):  # noqa: UP036, the program may be started by any Python
    sys.exit("fp8mac plan: Python 3.11 or newer is expected")
from .cli import main

sys.exit(main())
