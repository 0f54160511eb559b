# SPDX-License-Identifier: Apache-2.0
"""Synthesis of the elements and their baselines: area at a met clock, cached, in parallel."""
