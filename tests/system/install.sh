#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh STAGE: the library that `make install-firmware PREFIX=STAGE` has put there, used by an application outside
# the project: found by pkg-config and by CMake, for the host and for the chip. The last line counts.
set -u
stage=$1
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
passed=0 failed=0
check() { # NAME COMMAND...
  name=$1
  shift
  if (cd "$outside" && "$@") >"$outside/output" 2>&1; then passed=$((passed + 1)); echo "ok   $name"
  else failed=$((failed + 1)); echo "FAIL $name"; cat "$outside/output"; fi
}
export PKG_CONFIG_PATH=$stage/lib/pkgconfig
cat >"$outside/use.c" <<'END'
#include <fp8rt/app.h>
#include <fp8rt/fp8rt.h>
#include <stdio.h>

#if FP8RT_VERSION_NUMBER < 0x000200
#error "an old library"
#endif

int main(void)
{
    static fp8rt_device dev;
    static _Alignas(64) uint8_t a[64] = {0x38, 0x40}, b[64] = {0x40, 0xc0}; // 1 * 2 + 2 * -2
    static _Alignas(64) float d[16];
    fp8rt_gemm_desc desc = {.m = 1, .n = 1, .k = 2, .a = a, .b = b, .d = d, .d_format = FP8MAC_FP32};
    fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    if (status == FP8RT_OK) {
        status = fp8rt_gemm(&dev, desc, NULL, 0, NULL);
    }
    printf("%s %s %g\n", FP8RT_VERSION, fp8rt_status_string(status), (double)d[0]);
    return status != FP8RT_OK || d[0] != -2.0f;
}
END
cat >"$outside/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(use C)
find_package(fp8rt REQUIRED)
add_executable(use use.c)
target_link_libraries(use fp8rt::fp8rt)
END
check 'pkg-config knows both' pkg-config --exists fp8rt fp8rt-riscv
check 'compiles and links, host' sh -c \
  'gcc -std=c11 -Wall -Werror -o host use.c $(pkg-config --cflags --static --libs fp8rt)'
check 'runs, host' env LD_LIBRARY_PATH="$stage/lib" ./host
check 'compiles and links, chip' sh -c \
  'riscv64-unknown-elf-gcc -std=c11 -Wall -Werror -o chip.elf use.c $(pkg-config --cflags --libs fp8rt-riscv)'
check 'starts where the core does' sh -c 'riscv64-unknown-elf-readelf -h chip.elf | grep -q "Entry.*0x80000080"'
if command -v cmake >/dev/null 2>&1; then
  check 'CMake finds it' cmake -S . -B build -DCMAKE_PREFIX_PATH="$stage"
  check 'CMake builds' cmake --build build
  check 'runs, CMake' build/use
fi
if [ -n "${2:-}" ]; then check 'runs, chip' "$2" --quiet chip.elf; fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
