#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# recipes.sh HOST PYTHON COMMAND...: the application `recipes`. HOST is its host build; COMMAND simulates the chip. Chip
# and host print the same text: counts, errors, scales and a hash of all codes. On the host each recipe behaves as its
# definition says, and plot.py draws it.
host=$1 python=$2
shift 2
passed=0 failed=0
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
check() { # NAME COMMAND...: the command succeeds
  name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL $name"; fi
}
# The sum of a column of the CSV over the steps FROM to TO. DRIFT RECIPE COLUMN FROM TO
sum() {
  awk -F, -v drift="$1" -v recipe="$2" -v column="$3" -v from="$4" -v to="$5" '
    $1 == "csv" && $2 == "drift" { for (i = 1; i <= NF; i++) place[$i] = i }
    $1 == "csv" && $2 == drift && $4 == recipe && $3 >= from && $3 <= to { sum += $place[column]; lines++ }
    END { print lines == to - from + 1 ? sum + 0 : "none" }' "$directory/list"
}
is() { # NAME VALUE TEST LIMIT
  [ "$2" != none ] && test "$2" "$3" "$4" && passed=$((passed + 1)) && return
  failed=$((failed + 1)) && echo "FAIL $1: $2 is not $3 $4"
}

# A jump, and a step with an outlier
for drift in jump=2=40 outliers=4=80; do
  tensors=${drift##*=} drift=${drift%=*}
  steps=${drift#*=} drift=${drift%=*}
  "$host" DRIFT="$drift" STEPS="$steps" LIST=1 >"$directory/host" || failed=$((failed + 1))
  "$@" DRIFT="$drift" STEPS="$steps" LIST=1 >"$directory/chip" 2>"$directory/report" || failed=$((failed + 1))
  tail -n 2 "$directory/chip"
  check "$drift: $tensors tensors on the chip" grep -q "^recipes: tensors=$tensors " "$directory/chip"
  check "$drift: chip and host print the same" cmp "$directory/host" "$directory/chip"
done

"$host" LIST=1 >"$directory/list" || failed=$((failed + 1))
for drift in steady ramp jump outliers decay; do
  for recipe in dynamic pytorch_dynamic pytorch_pow2 graphcore_amax; do
    is "$drift, $recipe: the scale is that of the output" "$(sum $drift $recipe overflow 0 63)" -eq 0
  done
  is "$drift, mx: blocks lose few small numbers" "$(sum $drift mx zero 0 63)" -le 4
done
for recipe in autofp8 vllm tensorrt_llm pytorch_static graphcore_cscale qualcomm_bias; do
  is "ramp, $recipe: a given scale overflows" "$(sum ramp $recipe overflow 32 63)" -gt 4096
  is "decay, $recipe: a given scale underflows" "$(sum decay $recipe zero 32 63)" -gt 3000
  is "decay, $recipe: and does not overflow" "$(sum decay $recipe overflow 0 63)" -eq 0
done
# A delayed scale is wrong for one step, the automatic factor for six: 2^6.
for recipe in te_max te_power_of_two te_hybrid_e5m2 pytorch_delayed; do
  is "jump, $recipe: overflow in the step of the jump" "$(sum jump $recipe overflow 32 32)" -gt 60
  is "jump, $recipe: and hardly behind it" "$(sum jump $recipe overflow 33 63)" -le 8
done
is 'jump, te_interval_4: overflow until the interval ends' "$(sum jump te_interval_4 overflow 33 34)" -gt 100
is 'jump, fp8lm: the factor is halved until nothing saturates' "$(sum jump fp8lm overflow 33 35)" -gt 50
is 'jump, fp8lm: and then fits' "$(sum jump fp8lm overflow 40 63)" -eq 0
# The window of 16 steps keeps the scale of an outlier; the most recent one forgets it.
is 'outliers, te_max: the window keeps the outlier' "$(sum outliers te_max subnormal 5 9)" -gt 150
is 'outliers, te_most_recent: the outlier is forgotten' "$(sum outliers te_most_recent subnormal 5 9)" -lt 100
is 'outliers, te_hybrid_e5m2: five bits of exponent' "$(sum outliers te_hybrid_e5m2 zero 0 63)" -eq 0
is 'steady, te_power_of_two: a margin has no overflow' "$(sum steady te_power_of_two overflow 0 63)" -eq 0
is 'steady, dynamic: dB' "$(sum steady dynamic sqnr_cdb 0 63)" -gt 200000
is 'steady, te_hybrid_e5m2: two bits of mantissa cost 6 dB' "$(sum steady te_hybrid_e5m2 sqnr_cdb 0 63)" -lt 180000

# The table of model/NUMERICS.md: each of its rows is one that the program prints
awk '/^[a-z]*: .* steps$/ { drifts++ }
  drifts > 0 && NF == 7 && $7 ~ /^[-0-9.]+$/ { if (!($1 in row)) name[++names] = $1; row[$1] = row[$1] " " $6 " |" }
  END { for (i = 1; i <= names; i++) print "| `" name[i] "` |" row[name[i]] }' "$directory/list" >"$directory/table"
is 'rows of the table' "$(grep -c . "$directory/table")" -eq 20
awk '/^\| recipe \| steady/ { inside = 1; next } !/^\|/ { inside = 0 } inside && !/^\|---/' model/NUMERICS.md >"$directory/page"
is 'rows of the page' "$(grep -c . "$directory/page")" -eq 11
is 'rows of the page that the program prints' "$(grep -cxFf "$directory/table" "$directory/page")" -eq 11

check 'plot.py draws' "$python" -B firmware/apps/recipes/plot.py "$directory/plot.svg" <"$directory/list"
check 'the plot is an image' grep -q '<svg' "$directory/plot.svg"
for refused in DRIFT=up RECIPE=none STEPS=0 STEPS=201 STEPS=4x LIST=2 OTHER=1; do
  "$host" $refused >"$directory/refused"
  is "$refused is refused" $? -eq 2
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
