// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>

const char *const usage_text =
    "usage: fp8mac-sim [options] program.elf [arguments of the program]\n"
    "Runs a RISC-V program on the simulated chip: an Ibex core, RAM, a timer, a console and the\n"
    "fp8mac accelerator. Every GEMM that the program hands over is compared with the golden "
    "model.\n"
    "\n"
    "  --trace FILE          write a waveform (FST, two time units a cycle); needs a simulator "
    "that\n"
    "                        `make waves` builds\n"
    "  --instructions FILE   write the instructions that the core retires, with symbols and data\n"
    "  --instructions-in FUNCTION  only the calls of this function, with all that it calls; needs\n"
    "                        --instructions (all)\n"
    "  --trace-from CYCLE    first cycle of the waveform and of the instructions (0)\n"
    "  --trace-to CYCLE      last cycle of the waveform and of the instructions (the end)\n"
    "  --gdb PORT            wait for gdb (target remote localhost:PORT) and run under its "
    "control; 0: a\n"
    "                        free port, which is printed\n"
    "  --timeline FILE       write a timeline of core, commands and bus as JSON for "
    "ui.perfetto.dev\n"
    "  --bus FILE            write every transfer between accelerator and RAM as CSV: cycle,\n"
    "                        channel, address, bytes\n"
    "  --silence CYCLES      end after so many cycles without console output; 0: never "
    "(20000000)\n"
    "  --timeout CYCLES      end after so many cycles in all; 0: never (0)\n"
    "  --heartbeat SECONDS   time between two progress lines on stderr; 0: none (10)\n"
    "  --stall PERMILLE      probability of a stall, in each cycle and AXI channel: 0 to 900 (0)\n"
    "  --seed N              seed of the stalls (1)\n"
    "  --latency CYCLES      delay every AXI response by so many cycles: 0 to 255 (0)\n"
    "  --power-up SEED       start registers and RAM with random contents; 0: with zeros (0)\n"
    "  --dump-outputs FILE   write the outputs of every checked GEMM, row after row, in the order\n"
    "                        of the GEMMs\n"
    "  --dump-memory FILE    write the RAM as it is at the end\n"
    "  --evaluate-all        evaluate core and accelerator in every cycle, with the same results\n"
    "  --usage               print how much of the array was in use: of the whole run, and of the\n"
    "                        cycles with a command\n"
    "  --quiet               print only the program's console and errors\n"
    "  --help                print this text\n"
    "\n"
    "Exit status:\n"
    "  the program's         if that is not 0\n"
    "  0                     the program ended with 0, and every checked GEMM equals the golden "
    "model\n"
    "  1                     the program ended with 0, but a GEMM differs or its record is "
    "malformed\n"
    "  2                     the simulation cannot start, or an output file cannot be written\n"
    "  124                   --silence or --timeout\n"
    "  125                   the core or an assertion of the hardware failed\n"
    "  130                   interrupted\n";

namespace
{

[[noreturn]] void refuse(const std::string &name, const std::string &value,
                         const std::string &wanted)
{
    throw std::runtime_error(name + " wants " + wanted + ", not '" + value + "'");
}

uint64_t parse_number(const std::string &name, const std::string &value, uint64_t max)
{
    char *end = nullptr;
    errno = 0;
    const unsigned long long number = std::strtoull(value.c_str(), &end, 0);
    const bool digits =
        !value.empty() && value.find_first_not_of("0123456789abcdefABCDEFxX") == std::string::npos;
    if (!digits || errno != 0 || *end != '\0' || number > max) {
        refuse(name, value,
               max == UINT64_MAX ? "a number" : "a number from 0 to " + std::to_string(max));
    }
    return number;
}

double parse_seconds(const std::string &name, const std::string &value)
{
    char *end = nullptr;
    const double seconds = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0' || !std::isfinite(seconds) || seconds < 0) {
        refuse(name, value, "a number of seconds");
    }
    return seconds;
}

std::string parse_file(const std::string &name, const std::string &value)
{
    if (value.empty()) {
        refuse(name, value, "a file name");
    }
    return value;
}

using Setter = std::function<void(const std::string &name, const std::string &value)>;

std::map<std::string, Setter> setters(Options &options)
{
    return {
        {"--trace", [&](auto &name, auto &value) { options.trace_file = parse_file(name, value); }},
        {"--trace-from",
         [&](auto &name, auto &value) {
             options.trace_from = parse_number(name, value, UINT64_MAX);
         }},
        {"--trace-to",
         [&](auto &name, auto &value) {
             options.trace_to = parse_number(name, value, UINT64_MAX);
         }},
        {"--instructions",
         [&](auto &name, auto &value) { options.instructions_file = parse_file(name, value); }},
        {"--instructions-in",
         [&](auto &name, auto &value) {
             if (value.empty()) {
                 refuse(name, value, "a function");
             }
             options.instructions_in = value;
         }},
        {"--gdb",
         [&](auto &name, auto &value) {
             options.gdb = static_cast<int>(parse_number(name, value, UINT16_MAX));
         }},
        {"--bus", [&](auto &name, auto &value) { options.bus_file = parse_file(name, value); }},
        {"--timeline",
         [&](auto &name, auto &value) { options.timeline_file = parse_file(name, value); }},
        {"--silence",
         [&](auto &name, auto &value) { options.silence = parse_number(name, value, UINT64_MAX); }},
        {"--timeout",
         [&](auto &name, auto &value) { options.timeout = parse_number(name, value, UINT64_MAX); }},
        {"--heartbeat",
         [&](auto &name, auto &value) { options.heartbeat = parse_seconds(name, value); }},
        {"--stall",
         [&](auto &name, auto &value) {
             options.stall_permille = static_cast<unsigned>(parse_number(name, value, 900));
         }},
        {"--seed",
         [&](auto &name, auto &value) { options.seed = parse_number(name, value, UINT64_MAX); }},
        {"--latency",
         [&](auto &name, auto &value) {
             options.latency = static_cast<unsigned>(parse_number(name, value, 255));
         }},
        {"--power-up",
         [&](auto &name, auto &value) {
             options.power_up = static_cast<int>(parse_number(name, value, INT32_MAX));
         }},
        {"--dump-outputs",
         [&](auto &name, auto &value) { options.dump_file = parse_file(name, value); }},
        {"--dump-memory",
         [&](auto &name, auto &value) { options.memory_file = parse_file(name, value); }},
    };
}

// Sets the switch `name`. False if there is no such switch.
bool parse_switch(const std::string &name, Options &options)
{
    if (name == "--evaluate-all") {
        return options.evaluate_all = true;
    }
    if (name == "--usage") {
        return options.usage = true;
    }
    if (name == "--quiet") {
        return options.quiet = true;
    }
    if (name == "--help" || name == "-h") {
        return options.help = true;
    }
    return false;
}

void check(const Options &options)
{
    if (options.help) {
        return;
    }
    if (options.program.empty()) {
        throw std::runtime_error("name the program to run; --help lists the options");
    }
    if (options.trace_from > options.trace_to) {
        throw std::runtime_error("--trace-from is after --trace-to");
    }
    const bool window = options.trace_from != 0 || options.trace_to != UINT64_MAX;
    if (window && options.trace_file.empty() && options.instructions_file.empty()) {
        throw std::runtime_error("--trace-from and --trace-to need --trace or --instructions");
    }
    if (!options.instructions_in.empty() && options.instructions_file.empty()) {
        throw std::runtime_error("--instructions-in needs --instructions");
    }
}

} // namespace

Options parse_options(int argc, const char *const *argv)
{
    Options options;
    const std::map<std::string, Setter> known = setters(options);
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        const std::string argument = argv[i];
        const size_t equals = argument.find('=');
        const std::string name = argument.substr(0, equals);
        if (equals == std::string::npos && parse_switch(name, options)) {
            continue;
        }
        const auto setter = known.find(name);
        if (setter == known.end()) {
            throw std::runtime_error("unknown option '" + argument + "'; --help lists them");
        }
        if (equals == std::string::npos && i + 1 == argc) {
            throw std::runtime_error(name + " wants a value");
        }
        setter->second(name, equals == std::string::npos ? argv[++i] : argument.substr(equals + 1));
    }
    options.program.assign(argv + i, argv + argc);
    check(options);
    return options;
}
