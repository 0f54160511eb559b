# SPDX-License-Identifier: Apache-2.0
"""Energy of the elements' netlists on real operands, from counted transitions. It is indicative: see pages.CAVEATS."""
