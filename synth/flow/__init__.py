# SPDX-License-Identifier: Apache-2.0
"""The engine: synthesises a design with Yosys, repairs its paths, times it with OpenSTA and checks its netlist."""
