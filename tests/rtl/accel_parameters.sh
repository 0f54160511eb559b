#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# accel_parameters.sh PART VERILATOR FOLDER SOURCE... has two parts.
# accel: each parameter of fp8mac_accel that is not possible stops the build with one sentence, whatever else would fail
# with it. Those at the ends of what is possible do not.
# kinds: modules with a branch for each family of elements stop the build for a number that is no kind, and for a kind of
# another family.
part=$1 verilator=$2 folder=$3
shift 3
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
top=fp8mac_accel
lint() { # PARAMETERS SOURCE...: the parameters are words of one argument
  words=
  for parameter in $1; do words="$words -G$parameter"; done
  shift
  # shellcheck disable=SC2086
  "$verilator" --lint-only --assert --top-module $top $words "$@" >"$folder/log" 2>&1
}
stops() { # PARAMETERS SENTENCE...: the sentences are the only messages beside Verilator's last line
  words=$1
  shift
  # shellcheck disable=SC2086
  if lint "$words" $sources; then wrong=1; else wrong=0; fi
  [ "$(grep -c '^%' "$folder/log")" -eq $(($# + 1)) ] || wrong=1
  for sentence; do grep -q -F "$sentence" "$folder/log" || wrong=1; done
  count $wrong "$words: $* - and nothing else"
}
possible() { # PARAMETERS
  # shellcheck disable=SC2086
  lint "$1" $sources
  count $? "$1 is possible"
}

sources=$*
small='ROWS=2 COLS=2 LANES=8'
sides='ROWS and COLS must be powers of two, 1 to 32'
lanes='is not possible: it must be a power of two, 1 to'
tiles='is not possible: it must be a power of two, 8 to 32768'
bits='is not possible: it must be 9 to 29 with this ELEMENT'
kinds='is none of the kinds that commands know'
width='results of a bundle, as a multiple of COLS up to 32'
data='is not possible: it must be 64, 128 or 256'
address='is not possible: it must be 32 to 64'
id='is not possible: it must be 1 to 32'
queue='is not possible: it must be 1 to 127'
beats='is not possible: it must be a power of two,'
most='is not possible: it must be 2 to 512'
rows='ROW_COMMANDS=1 is not possible: it needs ELEMENTWISE=1, COLS <= 16 for its 16 partial sums, MAX_MN >= 32'
requantise='REQUANTISE=1 is not possible: it needs a kind that sums INT32, ELEMENTWISE=0, ADD_C=0 and STOCHASTIC=0'

accel() {
  # One at a time, what other code would stumble over
  stops "$small AXI_DATA_W=0" "AXI_DATA_W=0 $data"
  stops "$small AXI_ID_W=0" "AXI_ID_W=0 $id"
  stops "$small QUEUE_DEPTH=0" "QUEUE_DEPTH=0 $queue"
  stops "$small MAX_MN=0" "MAX_MN=0 $most"
  stops "$small MAX_MN=16 ROW_COMMANDS=1'b1" "$rows"
  stops "$small ELEMENTWISE=1'b0 ROW_COMMANDS=1'b1" "$rows"
  stops "ROWS=2 COLS=32 LANES=1 ROW_COMMANDS=1'b1" "$rows"
  stops "$small REQUANTISE=1'b1" "$requantise"
  stops "$small DEPTHWISE=1'b1" "DEPTHWISE=1 is not possible: it needs IMAGES=1, LANES >= a beat's bytes"
  stops "ROWS=4 COLS=16 LANES=16 DEPTHWISE=1'b1" 'DEPTHWISE=1 is not possible'
  stops "IMAGES=1'b0 DEPTHWISE=1'b1" 'DEPTHWISE=1 is not possible'
  for function in ELEMENTWISE ADD_C STOCHASTIC; do
    stops "$small ELEMENT=4 REQUANTISE=1'b1 $function=1'b1" "$requantise"
  done
  stops "$small BUF_BEATS=2" "BUF_BEATS=2 $beats 4 to 32768"
  stops "$small BUF_BEATS=65536" "BUF_BEATS=65536 $beats 4 to 32768"
  stops 'ROWS=0 COLS=2 LANES=8' "ROWS=0, COLS=2: $sides"
  stops 'ROWS=2 COLS=0 LANES=8' "ROWS=2, COLS=0: $sides"
  stops 'ROWS=2 COLS=2 LANES=0' "LANES=0 $lanes 32"
  stops "$small ELEMENT=200" "ELEMENT=200 $kinds"

  # Below the ranges, between their members, and above
  stops "$small TILES=0 FRAC_BITS=0 EPI_WIDTH=0 AXI_ADDR_W=0 AXI_ID=16 BUF_BEATS=0 MAX_MN=1" \
    "TILES=0 $tiles" "FRAC_BITS=0 $bits" "EPI_WIDTH=0 is not possible: it must divide the 2 $width" \
    "AXI_ADDR_W=0 $address" 'AXI_ID=16 does not fit AXI_ID_W=4 bits' "BUF_BEATS=0 $beats 4 to" "MAX_MN=1 $most"
  stops "$small TILES=4 FRAC_BITS=8 EPI_WIDTH=3 AXI_ADDR_W=31 AXI_DATA_W=32" \
    "TILES=4 $tiles" "FRAC_BITS=8 $bits" "EPI_WIDTH=3 is not possible: it must divide the 2 $width" \
    "AXI_ADDR_W=31 $address" "AXI_DATA_W=32 $data"
  stops 'ROWS=3 COLS=2 LANES=3 TILES=24 AXI_DATA_W=96' \
    "ROWS=3, COLS=2: $sides" "LANES=3 $lanes 32" "TILES=24 $tiles" "AXI_DATA_W=96 $data"
  stops "$small AXI_DATA_W=64 BUF_BEATS=4" "BUF_BEATS=4 $beats 8 to 32768"
  stops "$small BUF_BEATS=6" "BUF_BEATS=6 $beats 4 to 32768"
  stops "$small TILES=65536 FRAC_BITS=30 EPI_WIDTH=4 AXI_ADDR_W=65 AXI_ID_W=33 QUEUE_DEPTH=128 MAX_MN=513" \
    "TILES=65536 $tiles" "FRAC_BITS=30 $bits" "EPI_WIDTH=4 is not possible: it must divide the 2 $width" \
    "AXI_ADDR_W=65 $address" "AXI_ID_W=33 $id" "QUEUE_DEPTH=128 $queue" "MAX_MN=513 $most"
  stops 'ROWS=1 COLS=64 LANES=64 AXI_DATA_W=512' \
    "ROWS=1, COLS=64: $sides" "LANES=64 $lanes 32" "AXI_DATA_W=512 $data"
  # 7 is a kind of the array alone, 0 takes no more than 16 lanes and has no MX scales.
  stops "$small ELEMENT=7" "ELEMENT=7 $kinds"
  stops "ROWS=2 COLS=2 LANES=32 ELEMENT=0 MX=1'b1" "LANES=32 $lanes 16" \
    'MX=1 is not possible: only kinds that sum blocks of 32 products have MX scales'
  stops 'ROWS=8 COLS=8 LANES=32 EPI_WIDTH=64' "EPI_WIDTH=64 is not possible: it must divide the 64 $width"

  possible "ROWS=1 COLS=1 ROW_COMMANDS=1'b1"
  possible "ROWS=32 COLS=1 LANES=1 EPI_WIDTH=1 MAX_MN=32 ROW_COMMANDS=1'b1"
  possible 'ROWS=1 COLS=2 AXI_ADDR_W=64'
  possible 'ROWS=2 COLS=1 AXI_DATA_W=256'
  possible "DEPTHWISE=1'b0"
  possible "$small AXI_ID=15 AXI_PROT=3'd7"
  # The ends of all ranges
  possible "ROWS=1 COLS=1 LANES=1 TILES=8 FRAC_BITS=9 EPI_WIDTH=1 AXI_DATA_W=64 AXI_ADDR_W=32 AXI_ID_W=1 QUEUE_DEPTH=1 \
    BUF_BEATS=8 MAX_MN=1"
  possible "ROWS=2 COLS=4 LANES=32 TILES=32768 FRAC_BITS=29 EPI_WIDTH=8 AXI_DATA_W=256 AXI_ADDR_W=64 AXI_ID_W=32 \
    AXI_ID=32'hffffffff QUEUE_DEPTH=127 BUF_BEATS=32768 MAX_MN=512"
  possible 'ROWS=2 COLS=2 LANES=4 AXI_DATA_W=256 BUF_BEATS=2 MAX_MN=2'
  possible 'ROWS=2 COLS=2 LANES=1 ELEMENT=5 FRAC_BITS=0'
  possible "$small ELEMENT=4 REQUANTISE=1'b1"
  possible "$small ELEMENT=4 REQUANTISE=1'b1 IMAGES=1'b0 TABLES=1'b0"
}

kinds() {
  top=fp8mac_element
  stops 'ELEMENT=200' 'fp8mac_element has no branch for the family of ELEMENT=200'
  stops 'ELEMENT=8' 'fp8mac_element has no branch for the family of ELEMENT=8'  # fp8mac_grid has it
  possible 'ELEMENT=4'
  top=fp8mac_feed
  stops 'ELEMENT=200' 'fp8mac_feed has no branch for the feed of ELEMENT=200'
  top=fp8mac_readout
  stops 'ELEMENT=200' 'fp8mac_readout has no branch for the accumulator of ELEMENT=200'
  top=fp8mac_late_pipeline
  stops 'ELEMENT=8' 'ELEMENT=8 is no kind of FamilyLate'
  top=fp8mac_aligned_pipeline
  stops 'ELEMENT=5' 'ELEMENT=5 is no kind of FamilyAligned'
  top=fp8mac_static_pipeline
  stops 'ELEMENT=5' 'ELEMENT=5 is no kind of FamilyStatic'
}

$part
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
