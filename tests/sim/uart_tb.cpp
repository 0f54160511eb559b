// SPDX-License-Identifier: Apache-2.0
// fp8mac_board_uart: every character, back to back and with pauses, read from the serial bits.
// A bit has BIT_CYCLES.
#include <cstdio>
#include <string>

#include "Vfp8mac_board_uart.h"
#include "serial_line.h"

static void tick(Vfp8mac_board_uart &dut, SerialLine &line)
{
    dut.clk_i = 0;
    dut.eval();
    line.cycle(dut.tx_o != 0);
    dut.clk_i = 1;
    dut.eval();
}

static void send(Vfp8mac_board_uart &dut, SerialLine &line, unsigned character, unsigned pause)
{
    for (unsigned i = 0; i < pause; i++) {
        tick(dut, line);
    }
    dut.valid_i = 1;
    dut.char_i = static_cast<unsigned char>(character);
    dut.clk_i = 0;
    dut.eval();
    for (unsigned waited = 0; dut.ready_o == 0 && waited < 20u * BIT_CYCLES; waited++) {
        tick(dut, line);
        dut.clk_i = 0;
        dut.eval();
    }
    tick(dut, line);
    dut.valid_i = 0;
    dut.char_i = 0;
}

int main()
{
    Vfp8mac_board_uart dut;
    SerialLine line(BIT_CYCLES);
    dut.rst_ni = 0;
    tick(dut, line);
    tick(dut, line);
    dut.rst_ni = 1;
    std::string sent;
    for (unsigned i = 0; i < 512; i++) {
        const unsigned character = i * 37u & 255u;
        send(dut, line, character, i < 256 ? 0 : i % 40);
        sent += static_cast<char>(character);
    }
    for (unsigned i = 0; i < 12u * BIT_CYCLES; i++) {
        tick(dut, line);
    }
    unsigned long passed = 0;
    for (size_t i = 0; i < sent.size(); i++) {
        passed += i < line.text().size() && line.text()[i] == sent[i];
    }
    const unsigned long failed =
        sent.size() - passed + line.wrong_frames() + (line.text().size() != sent.size());
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
