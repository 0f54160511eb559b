#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# package.sh PYTHON FOLDER FP8MAC: pip installs the package, which then runs without the tree, and leaves the tree as it was.
set -eu
python=$1 folder=$2 fp8mac=$3
rm -rf "$folder"
mkdir -p "$folder"
list() { find firmware/fp8net -name __pycache__ -prune -o -type f -exec sha256sum {} + | sort; }
list >"$folder/before"
"$python" -m pip install --quiet --disable-pip-version-check --no-index --no-build-isolation --no-deps \
  --target "$folder/package" ./firmware/fp8net
list | cmp - "$folder/before"
echo "the tree is as it was"
cd "$folder"
PYTHONPATH=$PWD/package:$fp8mac "$python" -B -m fp8net supported-ops >ops.txt
grep -q '^Conv  *fp8rt_convolution' ops.txt
grep -q '^LSTM  *fp8rt_lstm' ops.txt
test -x package/bin/fp8net
echo "3 passed, 0 failed"
