// SPDX-License-Identifier: Apache-2.0
// fp8mac-sim: runs a RISC-V program on the simulated chip.
#include <cstdio>
#include <exception>

#include "options.h"
#include "simulator.h"

namespace
{

constexpr int cannot_start = 2;

} // namespace

int main(int argc, char **argv)
try {
    const Options options = parse_options(argc, argv);
    if (options.help) {
        return std::fputs(usage_text, stdout) < 0 ? cannot_start : 0;
    }
    Simulator simulator(options);
    return simulator.run();
} catch (const std::exception &e) {
    std::fprintf(stderr, "fp8mac-sim: %s\n", e.what());
    return cannot_start;
}
