// SPDX-License-Identifier: Apache-2.0
// board_tb EXPECTED STATUS CYCLES: the top module of a board runs the program in its RAM. The bench
// reads the console from the bits of the serial line and prints it. It passes if each line of the
// file EXPECTED begins a line of the console, the LEDs show the exit status STATUS, and no frame
// was wrong, within CYCLES cycles of the clock.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "Vfp8mac_ulx3s.h"
#include "serial_line.h"

// Ends when the program has, and the line was idle for longer than a frame.
static uint64_t run(Vfp8mac_ulx3s &board, SerialLine &line, uint64_t limit)
{
    board.btn_i = 1; // the power button is 0 while pressed
    for (uint64_t cycle = 0; cycle < limit; cycle++) {
        board.clk_25mhz_i = 0;
        board.eval();
        board.clk_25mhz_i = 1;
        board.eval();
        line.cycle(board.ftdi_rxd_o != 0);
        if ((board.led_o & 0x80u) != 0 && line.idle_cycles() > 12u * BIT_CYCLES) {
            return cycle;
        }
    }
    return limit;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "board_tb EXPECTED STATUS CYCLES\n");
        return 2;
    }
    Vfp8mac_ulx3s board;
    SerialLine line(BIT_CYCLES);
    const uint64_t limit = strtoull(argv[3], nullptr, 10);
    const uint64_t cycles = run(board, line, limit);
    fputs(line.text().c_str(), stdout);

    unsigned long passed = 0, failed = line.wrong_frames();
    const auto check = [&](bool good, const std::string &what) {
        passed += good;
        failed += !good;
        if (!good) {
            printf("not so: %s\n", what.c_str());
        }
    };
    check(cycles < limit, "the program ended");
    check((board.led_o & 0x7fu) == strtoul(argv[2], nullptr, 10), "the LEDs show the status");
    std::ifstream expected(argv[1]);
    unsigned long lines = 0;
    for (std::string text; std::getline(expected, text); lines++) {
        check(line.text().find("\n" + text) != std::string::npos, text);
    }
    check(lines > 0, "lines were expected");
    printf("%llu cycles, %zu characters\n", static_cast<unsigned long long>(cycles),
           line.text().size());
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
