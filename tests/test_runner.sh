#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_runner.sh FOLDER PYTHON: run_test.sh and summary.sh tell what passed, what failed first and what never ran, and
# conftest.py counts the checks of Python tests.
here=$(dirname "$0")
folder=$1 python=$2
rm -rf "$folder"
mkdir -p "$folder"
passed=0 failed=0
# says WHAT TEXT PATTERN: the text has a line that matches the pattern.
says() {
  if printf '%s\n' "$2" | grep -q -E -e "$3"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL %s: no line matches "%s" in:\n%s\n' "$1" "$3" "$2"
  fi
}
# run NAME SHELL_COMMAND: one test whose output the command prints.
run() { TEST_TOTAL=9 "$here/run_test.sh" "$1" "$folder/$1.log" sh -c "$2"; }

said=$(run good 'echo "3 passed, 0 failed"')
says 'a test that passes' "$said" '^\[  1/9\] ok   good +3 passed, 0 failed \([0-9]+ s\)$'
said=$(run bad 'echo "ok first"; echo "FAIL second: got 1, want 2"; for i in $(seq 40); do echo "ok $i"; done
  echo "41 passed, 1 failed"; exit 1') && said='exit status 0'
says 'a test that fails' "$said" '^\[  2/9\] FAIL bad '
says 'its first failing line' "$said" '^ +FAIL second: got 1, want 2$'
says 'its log' "$said" '^ +whole log: .*/bad\.log\.out$'
said=$(run silent true) && said='exit status 0'
says 'no count at all' "$said" '^\[  3/9\] FAIL silent '
said=$(run nothing 'echo "0 passed, 0 failed"') && said='exit status 0'
says 'no check at all' "$said" '^\[  4/9\] FAIL nothing '
said=$(run status 'echo "1 passed, 0 failed"; exit 3') && said='exit status 0'
says 'an exit status' "$said" '^\[  5/9\] FAIL status +exit status 3'
said=$(run crash 'echo "ok first"; kill -SEGV $$') && said='exit status 0'
says 'a crash' "$said" '^ +ok first$'

said=$("$here/summary.sh" "$folder/good.log") || said='exit status'
says 'the sum of what passed' "$said" '^3 passed, 0 failed$'
said=$("$here/summary.sh" "$folder/good.log" "$folder/bad.log" "$folder/silent.log" "$folder/absent.log") &&
  said='exit status 0'
says 'the sum names a failed test' "$said" '^FAILED   bad$'
says 'the sum says what failed first' "$said" '^  first: FAIL second: got 1, want 2$'
says 'the sum says where the log is' "$said" '^  log:   .*/bad\.log\.out$'
says 'the sum names a test that never ran' "$said" '^NOT RUN  absent$'
says 'the sum of all' "$said" '^44 passed, 3 failed$'
said=$("$here/summary.sh" "$folder/nothing.log") && said='exit status 0'
says 'nothing that ran' "$said" '^0 passed, 1 failed$'

# Two good checks and a bad one, a test without checks, an exception after a check, and a fixture that fails
cat >"$folder/test_seeded.py" <<'END'
import pytest
@pytest.fixture
def broken(): raise KeyError("fixture")
def test_checks(bench):
    bench.check("good", True)
    bench.check("seeded", False)
    bench.raises("also good", ValueError, "invalid literal", lambda: int("no number"))
def test_plain(): assert True
def test_exception(bench):
    bench.check("good", True)
    raise ValueError("an exception")
def test_fixture(broken): pass
END
pytest() { (cd "$here/.." && "$python" -B -m pytest -c tests/pytest.ini -p tests.conftest "$1"); }
seeded=$(cd "$folder" && pwd)/test_seeded.py
said=$(pytest "$seeded") && said='exit status 0'
says 'a failed check of a Python test' "$said" '^FAILED seeded$'
says 'its exception' "$said" '^E   ValueError: an exception$'
says 'the count of a Python test' "$said" '^4 passed, 3 failed$'
echo 'import nothing_there' >"$seeded"
said=$(pytest "$seeded") && said='exit status 0'
says 'a Python test that cannot be imported' "$said" '^0 passed, 1 failed$'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
