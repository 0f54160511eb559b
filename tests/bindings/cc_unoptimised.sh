#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cc_unoptimised.sh ARGUMENT...: the C compiler, which compiles in a third of the time. For tests of how the Python package
# is built and used: the package of the examples has the same sources, and is optimised.
exec cc "$@" -O0
