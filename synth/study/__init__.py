# SPDX-License-Identifier: Apache-2.0
"""What is measured: the elements and their INT8 baselines, and the tables, plots and pages made of the results."""
