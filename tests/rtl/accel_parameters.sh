#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# accel_parameters.sh VERILATOR FOLDER SOURCE...: parameters of fp8mac_accel that are not possible stop the build with a
# sentence, and those at the ends of what is possible do not.
verilator=$1 folder=$2
shift 2
mkdir -p "$folder"
passed=0 failed=0

count() { # OK WHAT
  if [ "$1" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $2"
    cat "$folder/log"
  fi
}
lint() { # PARAMETERS SOURCE...: the parameters are words of one argument
  words=
  for parameter in $1; do words="$words -G$parameter"; done
  shift
  # shellcheck disable=SC2086
  "$verilator" --lint-only --assert --top-module fp8mac_accel $words "$@" >"$folder/log" 2>&1
}
stops() { # PARAMETERS SENTENCE
  if lint "$1" $sources; then found=1; else grep -q -F "$2" "$folder/log" && found=0 || found=1; fi
  count $found "$1: '$2'"
}

sources=$*
small='ROWS=2 COLS=2 LANES=8'
stops "$small EPI_WIDTH=3" 'EPI_WIDTH=3 is not possible: it must be a multiple of COLS and divide 2'
stops "$small EPI_WIDTH=4" 'EPI_WIDTH=4 is not possible: it must be a multiple of COLS and divide 2'
stops "$small EPI_WIDTH=0" 'EPI_WIDTH=0 is not possible: it must be a multiple of COLS and divide 2'
stops "$small AXI_DATA_W=32" 'AXI_DATA_W=32 is not possible: it must be 64, 128 or 256'
stops "$small AXI_DATA_W=512" 'AXI_DATA_W=512 is not possible: it must be 64, 128 or 256'
stops "$small AXI_ADDR_W=31" 'AXI_ADDR_W=31 is not possible: it must be 32 to 64'
stops "$small AXI_ID=16" 'AXI_ID=16 does not fit AXI_ID_W=4 bits'
stops 'ROWS=3 COLS=2 LANES=8' 'ROWS and COLS must be powers of two, 1 to 32'
stops 'ROWS=1 COLS=64 LANES=8' 'ROWS and COLS must be powers of two, 1 to 32'
stops "$small TILES=24" 'TILES must be a power of two and at least 8'
stops "$small QUEUE_DEPTH=256" 'STATUS.queue_level has seven bits'
for legal in 'ROWS=1 COLS=1' 'ROWS=1 COLS=2 AXI_ADDR_W=64' 'ROWS=2 COLS=1 AXI_DATA_W=256' "$small AXI_ID=15 AXI_PROT=3'd7"; do
  # shellcheck disable=SC2086
  lint "$legal" $sources
  count $? "$legal is possible"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
