#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cxx.sh FOLDER: an application of C++ and C sources is built and run, on the simulated chip and on the host; make run
# hands it its own option; a file that is of no known kind is refused. Runs make at the top of the project.
tmp=$1
apps=tests/system/apps
passed=0 failed=0
unset MAKEFLAGS MFLAGS MAKELEVEL FP8MAC_MAKE
count() { # GOOD NAME
  if [ "$1" = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'FAIL %s\n' "$2"; fi
}
# says NAME OUTPUT LINE: the output has this line.
says() {
  if printf '%s\n' "$2" | grep -qxF -- "$3"; then count yes; else count no "$1: no line '$3' in: $2"; fi
}

chip=$(make run APPS_DIR=$apps APP=cxx FOO='3 4' 2>&1)
[ $? -eq 0 ] && count yes || count no "make run APP=cxx: $chip"
make APPS_DIR=$apps build/firmware/host/cxx >/dev/null 2>&1 && count yes || count no 'the host build'
host=$(build/firmware/host/cxx 'FOO=3 4' 2>&1)
[ $? -eq 0 ] && count yes || count no "host: $host"
for line in 'FOO=3 4 constructed 42 sum 10' 'areas 9 10, three times two is 6' 'the GEMM is right' 'destroyed 42'; do
  says chip "$chip" "$line"
  says host "$host" "$line"
done

# refused FILE SENTENCE: a copy of the application with FILE in it is refused, even though it has been built.
refused() {
  rm -rf "$tmp/apps"
  mkdir -p "$tmp/apps"
  cp -r $apps/cxx "$tmp/apps/cxx"
  case $1 in
    */) mkdir -p "$tmp/apps/cxx/$1" ;;
    *) : >"$tmp/apps/cxx/$1" ;;
  esac
  output=$(make -n APPS_DIR="$tmp/apps" build/firmware/host/cxx 2>&1)
  status=$?
  case $status-$output in
    2-*"cxx/${1%/} $2"*) count yes ;;
    *) count no "$1: status $status, $output" ;;
  esac
}
for file in start.s start.S part.c++ part.rs other/; do refused $file 'is neither built nor known'; done

# An application without sources, and one whose option is a variable of make.
rm -rf "$tmp/apps"
mkdir -p "$tmp/apps/empty" "$tmp/apps/hides"
echo text >"$tmp/apps/empty/notes.txt"
printf '//: ROWS=  hidden\nint main(void)\n{\n    return 0;\n}\n' >"$tmp/apps/hides/main.c"
output=$(make -n APPS_DIR="$tmp/apps" build/firmware/host/empty 2>&1)
case $? in 2) count yes ;; *) count no "no sources: $output" ;; esac
says 'no sources' "$(printf '%s' "$output" | grep -o 'empty has no sources')" 'empty has no sources'
output=$(make -n run APPS_DIR="$tmp/apps" APP=hides 2>&1)
says 'hidden variable' "$(printf '%s' "$output" | grep -o 'declares the option ROWS')" 'declares the option ROWS'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
