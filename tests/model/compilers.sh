#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compilers.sh FOLDER CATALOGUE EXPECTED: builds the library with each compiler of tools/packages.txt, for each machine
# that these packages serve, and runs test_environment there. Its results must be those of the log EXPECTED. Clang also
# builds it for its own sanitizers: MemorySanitizer and ThreadSanitizer.
set -u
folder=$1 catalogue=$2
expected=$(grep '^results ' "$3") || exit 1
passed=0 failed=0
rm -rf "$folder"
mkdir -p "$folder"
flags="-std=c11 -g -ffp-contract=off -pthread -Wall -Wextra -Wconversion -Werror -Imodel/include -Imodel/src -I$catalogue"

check() {
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# same NAME RUNNER COMPILER FLAG...: builds and runs the test. RUNNER is a command that runs it, or "".
same() {
  name=$1 runner=$2
  shift 2
  mkdir -p "$folder/$name"
  for source in model/src/*/*.c tests/model/test_environment.c; do
    # shellcheck disable=SC2086 # flags are words
    "$@" $flags -c -o "$folder/$name/$(echo "$source" | tr / _).o" "$source" || {
      echo "FAIL $name: $source does not compile"
      return 1
    }
  done
  "$@" -pthread -o "$folder/$name/test" "$folder/$name"/*.o -lm || {
    echo "FAIL $name does not link"
    return 1
  }
  # shellcheck disable=SC2086 # a command and its arguments
  $runner "$folder/$name/test" >"$folder/$name.log" 2>&1
  status=$?
  last=$(tail -n 1 "$folder/$name.log")
  if [ "$status" != 0 ] || ! grep -qx "$expected" "$folder/$name.log"; then
    echo "FAIL $name: status $status, $(grep '^results' "$folder/$name.log"), $last"
    tail -n 5 "$folder/$name.log"
    return 1
  fi
  echo "ok   $name: $last"
  rm -rf "${folder:?}/$name"
}

# refused NAME MESSAGE COMPILER FLAG...: it does not compile, for the stated reason.
refused() {
  name=$1 message=$2
  shift 2
  # shellcheck disable=SC2086
  if "$@" $flags -c -o "$folder/$name.o" model/src/api/gemm.c >"$folder/$name.log" 2>&1 ||
    ! grep -q "$message" "$folder/$name.log"; then
    echo "FAIL $name is not refused with \"$message\""
    return 1
  fi
}

check same gcc-halves '' gcc -O2 -DFP8MAC_HALVES
# Debian 12 has 14, 15, 16 and 19, Debian 13 has 17 to 19. The sanitizers' libraries are those of 16 and of 19.
if command -v clang-16 >/dev/null; then versions='14 15 16 19' sanitizers=16; else versions='17 18 19' sanitizers=19; fi
for version in $versions; do
  check same "clang-$version" '' "clang-$version" -O2
done
check same memory '' "clang-$sanitizers" -O1 -fsanitize=memory -fno-sanitize-recover=all
check same threads '' "clang-$sanitizers" -O1 -fsanitize=thread
check same x86-32 '' gcc -O2 -m32 -msse2 -mfpmath=sse
check same arm-32 'qemu-arm -L /usr/arm-linux-gnueabihf' arm-linux-gnueabihf-gcc -O2
check same arm-64 'qemu-aarch64 -L /usr/aarch64-linux-gnu' aarch64-linux-gnu-gcc -O2
check refused fast-math 'without -ffast-math' gcc -O2 -ffast-math
check refused x87 'excess precision' gcc -O2 -m32
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
