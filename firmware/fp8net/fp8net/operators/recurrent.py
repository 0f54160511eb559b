# SPDX-License-Identifier: Apache-2.0
"""LSTM and GRU."""
