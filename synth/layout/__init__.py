# SPDX-License-Identifier: Apache-2.0
"""Placement and routing of netlists, with the timing that the routed wires leave."""
