#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# zephyr.sh BUILD PYTHON SOURCES...: the module of Zephyr has the library's SOURCES, and compiles for a Cortex-M with its
# port and the public interface of Zephyr that tests/system/zephyr/stub declares. BUILD: what make builds. The last line
# counts.
set -u
build=$(cd "$1" && pwd) python=$2
shift 2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0 failed=0
check() { # NAME COMMAND...
  name=$1
  shift
  if "$@" >"$out/output" 2>&1; then passed=$((passed + 1)); echo "ok   $name"
  else failed=$((failed + 1)); echo "FAIL $name"; cat "$out/output"; fi
}
configure() { # FOLDER OPTIONS...
  folder=$1
  shift
  cmake -S tests/system/zephyr -B "$folder" -DCMAKE_SYSTEM_NAME=Generic -DCMAKE_C_COMPILER=arm-none-eabi-gcc \
    -DCMAKE_C_FLAGS="-mcpu=cortex-m55 -mthumb --specs=picolibc.specs -O2 -Wall -Wextra -Wconversion -Werror" "$@"
}
check 'the module is a YAML file whose files exist' "$python" -c "
import pathlib, yaml
build = yaml.safe_load(open('zephyr/module.yml'))['build']
root = pathlib.Path(build['settings']['dts_root'])
assert (pathlib.Path(build['cmake']) / 'CMakeLists.txt').exists() and pathlib.Path(build['kconfig']).exists()
(binding,) = (root / 'dts/bindings').glob('*/*.yaml')
assert yaml.safe_load(binding.open())['compatible'] == binding.stem == 'fp8mac,accelerator'"
check 'configures' configure "$out/on" -DFP8RT=y -DFP8MAC_BUILD="$build"
check 'compiles' cmake --build "$out/on" -j2
check 'is a library' test -s "$out/on/module/libfp8rt.a"
printf '%s\n' "$@" firmware/port/zephyr/zephyr.c | sort >"$out/wanted"
sed "s|^$PWD/||" "$out/on/sources.txt" | sort >"$out/found"
check 'has the sources of the library' diff "$out/wanted" "$out/found"
check 'configures without CONFIG_FP8RT' configure "$out/off" -DFP8RT= -DFP8MAC_BUILD="$build"
check 'has no library without CONFIG_FP8RT' test ! -e "$out/off/sources.txt"
check 'says what is missing' sh -c "! cmake -S tests/system/zephyr -B '$out/bare' -DFP8RT=y -DFP8MAC_BUILD='$out' \
  >'$out/text' 2>&1 && tr -s ' \n' ' ' <'$out/text' | grep -q 'run .make regs. in'"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
