#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tokens.sh HOST COMMAND...: the language model. HOST is its host build; COMMAND simulates the chip. Text and scores of 12
# tokens are the same on chip and host. A token takes at most 95,000 cycles of the core, one of the prompt 55,000. The layers
# one by one give the scores of the recorded list, from an empty cache to a full one. Two
# windows of the text that is held out have a perplexity below 16, on the host.
host=$1
shift
passed=0 failed=0
count() { # GOOD NAME
  if [ "$1" = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAIL $2"; fi
}
# The cycles of a token. OUTPUT WHAT
cycles() { echo "$1" | sed -n "s/^$2 *\([0-9]*\) core cycles a token.*/\1/p"; }
checksum() { echo "$1" | sed -n 's/^tokens: checksum=\([0-9a-f]*\)$/\1/p'; }
prompt='PROMPT=And it came to pass, that when the king heard it'
some=$("$host" "$prompt" TOKENS=12)
chip=$("$@" "$prompt" TOKENS=12 2>&1)
echo "$chip"
[ -n "$(checksum "$chip")" ] && [ "$(checksum "$chip")" = "$(checksum "$some")" ] && count yes ||
  count no "checksums: chip $(checksum "$chip"), host $(checksum "$some")"
text=$(echo "$some" | grep 'heard it')
[ -n "$text" ] && echo "$chip" | grep -qF "$text" && count yes || count no "the chip's text is not $text"
for limit in prompt:55000 generation:95000; do
  taken=$(cycles "$chip" "${limit%:*}")
  [ "${taken:-0}" -gt 0 ] && [ "$taken" -le "${limit#*:}" ] && count yes || count no "$limit: $taken cycles a token"
done
for text in PROMPT=the "$prompt"; do
  tokens=$([ "$text" = PROMPT=the ] && echo 126 || echo 40)
  list=$(checksum "$("$host" "$text" TOKENS=$tokens)")
  [ -n "$list" ] && [ "$list" = "$(checksum "$("$host" "$text" TOKENS=$tokens LIST=0)")" ] && count yes ||
    count no "layers one by one differ from the list behind $text"
done
other=$("$host" "$prompt" TOKENS=12 SEED=2)
[ "$(checksum "$other")" != "$(checksum "$some")" ] && count yes || count no 'another seed gives the same scores'
perplexity=$("$host" PERPLEXITY=2 | sed -n 's/^tokens: perplexity \([0-9]*\)\..* of 256 tokens$/\1/p')
echo "perplexity $perplexity"
[ "${perplexity:-99}" -lt 16 ] && count yes || count no "perplexity $perplexity"
"$host" 'PROMPT=#' >/dev/null && count no 'an unknown character is taken' || count yes
"$host" TOKENS=200 >/dev/null && count no 'too many tokens are taken' || count yes
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
