#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tolerant.sh, under the name of a compiler: the compiler of this name in COMPILERS_PATH, for which no warning is an
# error. A mutant may leave a variable or a signal without use.
name=${0##*/}
PATH=$COMPILERS_PATH
case $name in
  verilator) exec verilator "$@" -Wno-fatal ;;
  *) exec "$name" "$@" -Wno-error ;;
esac
