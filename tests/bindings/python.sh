#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# python.sh PYTHON FOLDER: installs the sdist of model/python into a fresh environment in FOLDER, without network, checks
# that the tree is as before, and runs the tests of the package. The test example_python installs from the tree.
set -eu
python=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
package=$here/../../model/python
rm -rf "$folder"
"$python" -m venv --without-pip "$folder"
folder=$(cd "$folder" && pwd)
fresh=$folder/bin/python
# setuptools, NumPy, ml_dtypes and pytest are those of the build's environment.
site=$("$fresh" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$python" -c 'from importlib.util import find_spec
from pathlib import Path
names = "setuptools", "numpy", "ml_dtypes", "pip", "pytest"
print("\n".join(dict.fromkeys(str(Path(find_spec(name).origin).parents[1]) for name in names)))' \
  >"$site/build.pth"
state() { find "$package" -type f -exec sha256sum {} + | sort; }
state >"$folder/before"
(cd "$package" && "$fresh" -B -c 'import sys, setuptools.build_meta as b; b.build_sdist(sys.argv[1])' "$folder") \
  >"$folder/sdist.log" 2>&1 || { cat "$folder/sdist.log"; exit 1; }
CC=$here/cc_unoptimised.sh "$fresh" -m pip install --quiet --disable-pip-version-check --no-index --no-build-isolation --no-deps "$folder"/fp8mac-*.tar.gz
state >"$folder/after"
cmp "$folder/before" "$folder/after"
cd "$folder"
exec bin/python -B -m pytest -c "$here/../pytest.ini" "$here"/test_python*.py
