#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh STAGE: the library that `make install-model PREFIX=STAGE` has put there, used as a stranger would:
# found by pkg-config, compiled against, linked both ways, run. The last line counts.
set -u
stage=$1
passed=0 failed=0
check() { # NAME COMMAND...
  name=$1; shift
  if "$@" >"$stage/output" 2>&1; then passed=$((passed + 1)); echo "ok   $name"
  else failed=$((failed + 1)); echo "FAIL $name"; cat "$stage/output"; fi
}
export PKG_CONFIG_PATH=$stage/lib/pkgconfig
cat >"$stage/use.c" <<'END'
#include <fp8mac/fp8mac.h>
#include <stdio.h>

int main(void) {
    const uint8_t a[2] = {0x38, 0x40}, b[2] = {0x40, 0xc0}; // 1 * 2 + 2 * -2
    fp8mac_dot_config config = {
        .a.format = fp8mac_format_get(FP8MAC_E4M3FN),
        .b.format = fp8mac_format_get(FP8MAC_E4M3FN),
        .group = 2,
    };
    fp8mac_acc acc = {0};
    fp8mac_flags flags = 0;
    fp8mac_status status = fp8mac_dot(&config, &acc, a, b, 2, &flags);
    printf("%s %08x\n", fp8mac_status_string(status), (unsigned)acc.code);
    return !(status == FP8MAC_OK && acc.code == 0xc0000000u && flags == 0);
}
END
check 'pkg-config knows it' pkg-config --exists fp8mac
check 'version' test "$(pkg-config --modversion fp8mac)" = "$(ls "$stage"/lib/libfp8mac.so.*.* | sed 's/.*\.so\.//')"
check 'compiles and links, shared' sh -c "gcc -std=c11 -Wall -Werror -o $stage/shared $stage/use.c \$(pkg-config --cflags --libs fp8mac)"
check 'runs, shared' "$stage/shared"
check 'uses the soname' sh -c "ldd $stage/shared | grep -q '$stage/lib/libfp8mac.so.0 '"
check 'compiles and links, static' sh -c \
  "gcc -std=c11 -Wall -Werror -o $stage/static $stage/use.c \$(pkg-config --cflags fp8mac) $stage/lib/libfp8mac.a \$(pkg-config --static --libs-only-other --libs-only-l fp8mac | sed 's/-lfp8mac//')"
check 'runs, static' "$stage/static"
for header in "$stage"/include/fp8mac/*.h; do
  echo "#include <fp8mac/${header##*/}>" >"$stage/use.cpp"
  check "C++17: ${header##*/}" sh -c \
    "g++ -std=c++17 -pedantic-errors -Wall -Wextra -Werror -fsyntax-only \$(pkg-config --cflags fp8mac) $stage/use.cpp"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
