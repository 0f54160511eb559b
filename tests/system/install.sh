#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh STAGE: the library that `make install-firmware PREFIX=STAGE` has put there, used by two applications outside
# the project, one of a GEMM and one of layers: found by pkg-config and by CMake, for the host and for the chip. The
# last line counts.
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
    fp8rt_gemm_desc desc = {.m = 1, .n = 1, .k = 2, .a.codes = a, .b.codes = b, .d = d, .d_format = FP8MAC_FP32};
    fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    if (status == FP8RT_OK) {
        status = fp8rt_gemm(&dev, desc, NULL, 0, NULL);
    }
    printf("%s %s %g\n", FP8RT_VERSION, fp8rt_status_string(status), (double)d[0]);
    return status != FP8RT_OK || d[0] != -2.0f;
}
END
# Two layers: hidden = relu(x * W^T + b), out = softmax(hidden), run twice with the plans of the first time.
cat >"$outside/layers.c" <<'END'
#include <fp8rt/app.h>
#include <fp8rt/layers.h>
#include <stdio.h>

static fp8rt_device dev;
static _Alignas(64) uint8_t x_codes[64] = {0x38, 0x40}, w_codes[128] = {0x38, 0x38, [64] = 0x40, 0xc0}; // 1 2, 1 1, 2 -2
static _Alignas(64) uint8_t out_codes[64], scratch[4096], memory[4096];
static _Alignas(64) float hidden_values[16], bias[2] = {0.5f, 1.0f};
static fp8rt_tensor x = {.data = x_codes, .rows = 1, .cols = 2}, out = {.data = out_codes, .rows = 1, .cols = 2};
static fp8rt_tensor hidden = {.data = hidden_values, .rows = 1, .cols = 2, .format = FP8MAC_FP32};
static const fp8rt_weights weights = {
    .codes = {.data = w_codes, .rows = 2, .cols = 2, .stride = 64}, .bias = bias};

static fp8rt_status network(fp8rt_run *run)
{
    const fp8rt_linear_desc linear = {
        .x = &x, .weights = &weights, .fused.activation = FP8MAC_ACT_RELU, .out = &hidden};
    const fp8rt_softmax_desc softmax = {.x = &hidden, .out = &out};
    fp8rt_linear(run, &linear);
    return fp8rt_softmax(run, &softmax);
}

int main(void)
{
    fp8rt_status status = fp8rt_device_open(&dev, &fp8rt_app_port);
    fp8rt_run run = fp8rt_run_query(&dev);
    status = status == FP8RT_OK ? network(&run) : status;
    fp8rt_plans plans = fp8rt_plans_in(memory, run.plan_bytes < sizeof memory ? run.plan_bytes : 0);
    for (int i = 0; i < 2 && status == FP8RT_OK; i++) {
        run = fp8rt_run_on(&dev, scratch, sizeof scratch);
        run.plans = &plans;
        status = network(&run);
    }
    printf("%s %g %g, codes %02x %02x, %u plans reused\n", fp8rt_status_string(status), (double)hidden_values[0],
           (double)hidden_values[1], out_codes[0], out_codes[1], (unsigned)plans.reused);
    // Softmax of 3.5 and 0 is 0.9707 and 0.0293, in units of 2^-8: 248.5, rounded to 256, and 7.5
    return status != FP8RT_OK || hidden_values[0] != 3.5f || hidden_values[1] != 0.0f ||
           out_codes[0] != 0x78 || out_codes[1] != 0x4f || plans.reused != 2;
}
END
cat >"$outside/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(use C)
find_package(fp8rt REQUIRED)
foreach(program use layers)
  add_executable(${program} ${program}.c)
  target_link_libraries(${program} fp8rt::fp8rt)
endforeach()
END
check 'pkg-config knows both' pkg-config --exists fp8rt fp8rt-riscv
for program in use layers; do
  check "compiles and links, host: $program" sh -c \
    "gcc -std=c11 -Wall -Werror -o $program $program.c \$(pkg-config --cflags --static --libs fp8rt)"
  check "runs, host: $program" "./$program"
  check "compiles and links, chip: $program" sh -c \
    "riscv64-unknown-elf-gcc -std=c11 -Wall -Werror -o $program.elf $program.c \$(pkg-config --cflags --libs fp8rt-riscv)"
  if [ -n "${2:-}" ]; then check "runs, chip: $program" "$2" --quiet "$program.elf"; fi
done
for header in "$stage"/include/fp8rt/*.h; do
  echo "#include <fp8rt/${header##*/}>" >"$outside/header.cpp"
  check "C++17: ${header##*/}" sh -c \
    "g++ -std=c++17 -pedantic-errors -Wall -Wextra -Werror -fsyntax-only \$(pkg-config --cflags fp8rt) header.cpp"
done
check 'starts where the core does' sh -c 'riscv64-unknown-elf-readelf -h use.elf | grep -q "Entry.*0x80000080"'
check 'the installed simulator' "$stage/bin/fp8mac-sim" --quiet use.elf
check 'a larger stack' sh -c 'riscv64-unknown-elf-gcc -o deep.elf use.c $(pkg-config --cflags --libs fp8rt-riscv) \
  -Wl,--defsym=FP8RT_STACK_BYTES=131072 && riscv64-unknown-elf-nm deep.elf | grep -q "80020100.*__stack_top"'
share=$stage/share/fp8rt
check 'sources for a Cortex-M' sh -c "arm-none-eabi-gcc -std=c11 -Wall -Werror -mcpu=cortex-m4 -mthumb --specs=picolibc.specs -c \
  $share/firmware/src/*.c $share/firmware/layers/*.c $share/firmware/driver/*.c $share/firmware/port/cortex-m/*.c \
  $share/model/src/*/*.c -I$share/firmware/include -I$share/firmware/driver -I$share/firmware/port/cortex-m \
  -I$share/firmware/src -I$share/firmware/layers -I$share/model/include -I$share/model/src -I$share/build/catalogue -I$share/build/regs"
check "Zephyr's module" sh -c "test -f $share/zephyr/module.yml && test -f $share/firmware/port/zephyr/zephyr.c"
if command -v cmake >/dev/null 2>&1; then
  check 'CMake finds it' cmake -S . -B build -DCMAKE_PREFIX_PATH="$stage"
  check 'CMake builds' cmake --build build
  check 'runs, CMake' build/use
  check 'runs layers, CMake' build/layers
  check 'CMake finds it, chip' cmake -S . -B chip -DCMAKE_PREFIX_PATH="$stage" -DCMAKE_SYSTEM_NAME=Generic \
    -DCMAKE_C_COMPILER=riscv64-unknown-elf-gcc -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
  check 'CMake builds, chip' cmake --build chip
  check 'runs, CMake, chip' "$stage/bin/fp8mac-sim" --quiet chip/use
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
