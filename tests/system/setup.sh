#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh FOLDER: tools/setup.sh on machines that are made of stubs. It installs what a goal's parts need and no more,
# waits while another process holds the package manager's lock, and says so.
set -u
tmp=$1
setup=$PWD/tools/setup.sh
passed=0 failed=0
count() { # GOOD NAME
  if [ "$1" = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf 'FAIL %s\n' "$2"; fi
}
has() { # NAME TEXT PATTERN
  if grep -q -- "$3" <<<"$2"; then count yes; else count no "$1: no '$3' in: $2"; fi
}
lacks() { # NAME TEXT PATTERN
  if grep -q -- "$3" <<<"$2"; then count no "$1: '$3' in: $2"; else count yes; fi
}

# A machine: a folder `bin` of tools. `installed` lists its packages. apt-get finds the lock held LOCKED times.
stub() { # NAME: the script is on stdin
  { echo '#!/bin/sh'; cat; } >"$tmp/bin/$1"
  chmod +x "$tmp/bin/$1"
}
machine() { # LOCKED INSTALLED...
  rm -rf "$tmp"
  mkdir -p "$tmp/bin"
  for tool in sh awk sed grep cat mv rm mkdir sort head tail dirname cmp printf cp; do
    ln -s "$(command -v $tool)" "$tmp/bin/$tool"
  done
  echo "$1" >"$tmp/locked"
  shift
  printf '%s\n' "$@" >"$tmp/installed"
  : >"$tmp/asked"
  stub id <<<'echo 0'
  stub sleep <<<"echo \"sleep \$*\" >>$tmp/asked"
  stub gcc <<<'echo 12.2.0'
  stub dpkg-query <<<"sed 's/^/ii  /' $tmp/installed"
  stub apt-get <<END
echo "apt-get \$*" >>$tmp/asked
left=\$(cat $tmp/locked)
if [ "\$left" -gt 0 ]; then
  echo \$((left - 1)) >$tmp/locked
  echo 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (unattended-upgr)' >&2
  exit 100
fi
[ ! -f $tmp/broken ] || { echo 'E: Unable to locate package' >&2; exit 100; }
for word; do case \$word in install | -*) ;; *) echo "\$word" >>$tmp/installed ;; esac; done
END
}
# Runs set-up of the parts; leaves status and output.
run() {
  output=$(PATH=$tmp/bin SETUP_WAIT=${wait:-1800} "$setup" "$tmp/build" "$tmp/build/env.mk" "$@" 2>&1)
  status=$?
  asked=$(cat "$tmp/asked")
}
ends() { # NAME STATUS
  if [ $status -eq "$2" ]; then count yes; else count no "$1: status $status: $output"; fi
}

# The model needs a C compiler, make and Python, and neither Verilator nor the cross compiler nor the environment.
machine 0 make
run model
ends 'model' 0
has 'model' "$asked" 'install.* gcc'
has 'model' "$asked" 'python3$'
for other in verilator riscv opensta g++ venv; do lacks 'model' "$asked" $other; done
[ -f "$tmp/build/env.mk" ] && ! [ -d "$tmp/build/venv" ] && count yes || count no 'model: env.mk alone'
# Nothing is asked for when everything is there.
run model
ends 'model again' 0
[ "$(wc -l <"$tmp/asked")" -eq 1 ] && count yes || count no "model again: $asked"

# Each part asks for its own packages. Here the installation fails, so set-up stops after it has asked.
for pair in 'firmware gcc-riscv64-unknown-elf' 'sim verilator' 'synth opensta' 'python python3-venv' 'tests pkg-config'; do
  machine 0 make
  : >"$tmp/broken"
  run "${pair% *}"
  has "${pair% *}" "$asked" "install.* ${pair#* }"
done

# A lock that is held: it says by whom, waits, and goes on. The wait is told once a minute.
machine 3 make
run model
ends 'lock' 0
has 'lock' "$output" "process 4711 (unattended-upgr) holds the package manager's lock: waiting"
[ "$(grep -c 'holds the package' <<<"$output")" -eq 1 ] && count yes || count no "lock: said once: $output"
[ "$(grep -c '^sleep' <<<"$asked")" -eq 3 ] && count yes || count no "lock: $asked"
has 'lock' "$(cat "$tmp/installed")" '^gcc$'
machine 30 make
run model
ends 'long lock' 0
[ "$(grep -c 'holds the package' <<<"$output")" -eq 3 ] && count yes || count no "long lock: $output"

# A lock that stays: it gives up after SETUP_WAIT seconds, with a sentence.
machine 1000 make
wait=20 run model
ends 'kept lock' 1
has 'kept lock' "$output" "still holds the package manager's lock after 20 s"

# Another failure is no lock: the lists are refreshed once, and then it fails at once.
machine 0 make
: >"$tmp/broken"
run model
ends 'broken' 1
has 'broken' "$output" 'apt-get failed'
has 'broken' "$asked" 'apt-get update'
lacks 'broken' "$asked" sleep

# Somebody who may not install: the line to run names sudo where it is installed, and root where it is not. Nothing is run.
for sudo in '' 'sudo '; do
  machine 0 make
  stub id <<<'echo 1000'
  [ -z "$sudo" ] || stub sudo <<<'exit 1' # it asks for a password
  run model
  ends "no root, '$sudo'" 1
  if [ -n "$sudo" ]; then line='Run this line, then make again:'; else line='Run this line as root, then make again:'; fi
  has "no root, '$sudo'" "$output" "$line"
  has "no root, '$sudo'" "$output" "^  ${sudo}apt-get update && ${sudo}apt-get install -y .* gcc"
  [ -z "$asked" ] && count yes || count no "no root, '$sudo': $asked"
done

# make asks set-up for the parts that its goal needs. Here the installation fails, so make stops after it has asked.
unset MAKEFLAGS MFLAGS MAKELEVEL FP8MAC_MAKE
asks() { # GOAL WANTED OTHERS: packages that make GOAL installs, and a pattern of those that it does not
  machine 0 make
  : >"$tmp/broken"
  PATH=$tmp/bin:$PATH make "$1" BUILD="$tmp/build" >/dev/null 2>&1
  found=$(grep -m 1 install "$tmp/asked")
  for package in $2; do has "make $1" "$found " " $package "; done
  lacks "make $1" "$found " "$3"
}
asks model 'gcc python3' 'g++\|verilator\|riscv\|opensta\|venv\|perl'
asks cli gcc 'verilator\|riscv\|opensta\|venv'
asks install-model gcc 'verilator\|riscv\|opensta\|venv'
asks firmware 'gcc gcc-riscv64-unknown-elf python3-venv' 'verilator\|opensta'
asks sim 'g++ verilator' 'riscv\|opensta'
asks docs 'gcc python3-venv' 'g++\|verilator\|riscv\|opensta'
asks run 'g++ verilator gcc-riscv64-unknown-elf' 'opensta'
asks synth 'opensta python3-venv' 'riscv\|verilator'
asks "$tmp/build/model-san/libfp8mac.a" 'gcc python3' 'g++\|verilator\|riscv\|opensta\|venv\|perl'
asks lint 'g++ verilator gcc-riscv64-unknown-elf opensta pkg-config' nothing

# With -n, -q and -t make says what is missing. It asks for nothing and makes nothing, and -q says that there is work.
for pair in n-0 q-1 t-0; do
  machine 0 make
  output=$(PATH=$tmp/bin:$PATH make "-${pair%-*}" model BUILD="$tmp/build" 2>&1)
  status=$? asked=$(cat "$tmp/asked")
  ends "make -${pair%-*}" "${pair#*-}"
  has "make -${pair%-*}" "$output" 'nothing was done. Debian packages are missing:.* gcc'
  [ -z "$asked" ] && ! [ -e "$tmp/build" ] && count yes || count no "make -${pair%-*} does something: $asked"
done
# Also where set-up is older than what it is made from
machine 0 make gcc libc6-dev python3
run model
mkdir -p "$tmp/build/catalogue"
touch "$tmp/build/catalogue/catalogue.mk"
touch -d 2000-01-01 "$tmp/build/env.mk" "$tmp/build/catalogue/catalogue.mk"
mkdir -p "$tmp/build/env" && mv "$tmp/build/env.mk" "$tmp/build/env/model.mk"
output=$(PATH=$tmp/bin:$PATH make -n model BUILD="$tmp/build" 2>&1)
has 'make -n, old' "$output" 'All Debian packages are there; .* is missing or old'
[ "$(find "$tmp/build" -newermt 2001-01-01 -name '*.mk' | wc -l)" -eq 0 ] && count yes || count no 'make -n, old: makes something'

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
