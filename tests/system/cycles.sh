#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cycles.sh SIMULATOR: builds the application `cycles` and runs it on the chip. Runs make at the top of the project.
unset MAKEFLAGS MFLAGS MAKELEVEL FP8MAC_MAKE
make APPS_DIR=tests/system/apps build/firmware/riscv/cycles.elf >/dev/null && exec "$1" --quiet build/firmware/riscv/cycles.elf
