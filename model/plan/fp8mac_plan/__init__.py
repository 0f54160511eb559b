# SPDX-License-Identifier: Apache-2.0
"""fp8mac plan: layers of networks crossed with configurations of the accelerator. Needs Python 3.11 and nothing beside it."""
