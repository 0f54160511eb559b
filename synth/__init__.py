# SPDX-License-Identifier: Apache-2.0
"""The area and energy of the processing elements, measured with Yosys and OpenSTA.

flow      the engine: synthesis, timing, repair of paths, cache, checks of netlists. It knows no element of the project
study     what is measured: elements, baselines, tables, accuracy and pages. It uses flow
energy    energy from counted transitions. It uses flow and study

`python -m synth COMMAND` runs from the root of the repository.
"""
