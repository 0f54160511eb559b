// SPDX-License-Identifier: Apache-2.0
// The ELF loader: what it puts where, what it refuses, and that no damaged file makes it read or
// write outside.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "elf_loader.h"

namespace
{

constexpr uint32_t ram_bytes = 32768;
constexpr uint32_t header_bytes = 52, segment_bytes = 32, section_bytes = 40, symbol_bytes = 16;
constexpr uint32_t text_bytes = 300, text_memory = 400;

unsigned long passed = 0, failed = 0;

void expect(const char *what, bool ok)
{
    ok ? passed++ : failed++;
    if (!ok) {
        std::printf("FAIL %s\n", what);
    }
}

struct Bytes : std::vector<uint8_t> {
    using std::vector<uint8_t>::vector;
    void half(uint32_t offset, uint32_t value)
    {
        at(offset) = static_cast<uint8_t>(value);
        at(offset + 1) = static_cast<uint8_t>(value >> 8);
    }
    void word(uint32_t offset, uint32_t value)
    {
        half(offset, value);
        half(offset + 2, value >> 16);
    }
};

// Header, one segment to load, its bytes, two sections (symbols and their names), two function
// symbols.
constexpr uint32_t text_at = header_bytes + segment_bytes;
constexpr uint32_t sections_at = text_at + text_bytes;
constexpr uint32_t symbols_at = sections_at + 2 * section_bytes;
constexpr uint32_t names_at = symbols_at + 2 * symbol_bytes;
const char names[] = "\0_start\0main";

Bytes program()
{
    Bytes elf(names_at + sizeof names);
    std::memcpy(elf.data(), "\177ELF\1\1\1", 7);
    elf.half(16, 2);
    elf.half(18, 243);
    elf.word(24, Ram::base + 0x80);
    elf.word(28, header_bytes);
    elf.word(32, sections_at);
    elf.half(42, segment_bytes);
    elf.half(44, 1);
    elf.half(46, section_bytes);
    elf.half(48, 2);

    const uint32_t segment = header_bytes;
    elf.word(segment, 1);
    elf.word(segment + 4, text_at);
    elf.word(segment + 8, 0xdead0000);
    elf.word(segment + 12, Ram::base + 16);
    elf.word(segment + 16, text_bytes);
    elf.word(segment + 20, text_memory);
    for (uint32_t i = 0; i < text_bytes; i++) {
        elf[text_at + i] = static_cast<uint8_t>(i + 1);
    }

    elf.word(sections_at + 4, 2);
    elf.word(sections_at + 16, symbols_at);
    elf.word(sections_at + 20, 2 * symbol_bytes);
    elf.word(sections_at + 24, 1);
    elf.word(sections_at + section_bytes + 4, 3);
    elf.word(sections_at + section_bytes + 16, names_at);
    elf.word(sections_at + section_bytes + 20, sizeof names);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t symbol = symbols_at + i * symbol_bytes;
        elf.word(symbol, i == 0 ? 1 : 8);
        elf.word(symbol + 4, Ram::base + (i == 0 ? 0x80 : 0xa0));
        elf.at(symbol + 12) = 2;
        elf.half(symbol + 14, 1);
    }
    std::memcpy(elf.data() + names_at, names, sizeof names);
    return elf;
}

class Bench
{
  public:
    explicit Bench(std::string path) : path_(std::move(path)), memory_(new uint8_t[ram_bytes]) {}

    Ram ram()
    {
        return {memory_.get(), ram_bytes};
    }
    void fill(uint8_t value)
    {
        std::memset(memory_.get(), value, ram_bytes);
    }

    Program load(const Bytes &elf)
    {
        std::ofstream(path_, std::ios::binary)
            .write(reinterpret_cast<const char *>(elf.data()),
                   static_cast<std::streamsize>(elf.size()));
        return load_elf(path_, ram());
    }

    // The complaint, empty if there is none.
    std::string complaint(const Bytes &elf)
    {
        try {
            load(elf);
            return {};
        } catch (const std::runtime_error &e) {
            return e.what();
        }
    }

  private:
    std::string path_;
    std::unique_ptr<uint8_t[]> memory_;
};

void test_loading(Bench &bench)
{
    bench.fill(0xa5);
    const Program loaded = bench.load(program());
    const uint8_t *bytes = bench.ram().bytes;
    bool copied = true, cleared = true;
    for (uint32_t i = 0; i < text_bytes; i++) {
        copied &= bytes[16 + i] == static_cast<uint8_t>(i + 1);
    }
    for (uint32_t i = text_bytes; i < text_memory; i++) {
        cleared &= bytes[16 + i] == 0;
    }
    expect("the segment is copied", copied);
    expect("the rest of it is cleared", cleared);
    expect("nothing else is touched", bytes[15] == 0xa5 && bytes[16 + text_memory] == 0xa5);
    expect("entry", loaded.entry == Ram::base + 0x80);
    expect("function", loaded.describe(Ram::base + 0xa4) == "0x800000a4 (main+0x4)");
    expect("before any function", loaded.describe(Ram::base) == "0x80000000");
}

void test_refusals(Bench &bench)
{
    const auto refused = [&](const char *part, const std::function<void(Bytes &)> &spoil) {
        Bytes elf = program();
        spoil(elf);
        expect(part, bench.complaint(elf).find(part) != std::string::npos);
    };
    refused("is not an ELF file", [](Bytes &elf) { elf[0] = 0; });
    refused("is not 32-bit little-endian", [](Bytes &elf) { elf[4] = 2; });
    refused("is not 32-bit little-endian", [](Bytes &elf) { elf[5] = 2; });
    refused("is not for RISC-V", [](Bytes &elf) { elf.half(18, 40); });
    refused("is not an executable", [](Bytes &elf) { elf.half(16, 1); });
    refused("has no segments", [](Bytes &elf) { elf.half(44, 0); });
    refused("has no segments", [](Bytes &elf) { elf.word(header_bytes, 0); });
    refused("larger in the file", [](Bytes &elf) { elf.word(header_bytes + 16, text_memory + 1); });
    refused("outside 0x80000000", [](Bytes &elf) { elf.word(header_bytes + 12, Ram::base - 1); });
    refused("outside 0x80000000", [](Bytes &elf) { elf.word(header_bytes + 12, 0xfffffff0); });
    refused("outside 0x80000000", [](Bytes &elf) { elf.word(header_bytes + 20, 0xffffffff); });
    refused("outside 0x80000000", [](Bytes &elf) {
        elf.word(header_bytes + 12, Ram::base + ram_bytes - Ram::argument_bytes - text_memory + 1);
    });
    refused("cut short", [](Bytes &elf) { elf.word(header_bytes + 4, 0xffffff00); });
    refused("cut short", [](Bytes &elf) { elf.word(28, 0xfffffff0); });
    refused("cut short", [](Bytes &elf) { elf.half(44, 0xffff); });
}

// A shorter file never loads; a changed byte may, but nothing outside is touched (the sanitizers
// watch).
void test_damage(Bench &bench)
{
    const Bytes whole = program();
    for (size_t size = 0; size + 1 < whole.size(); size++) {
        Bytes elf(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        elf.resize(size);
        if (size < names_at + 9) {
            expect("a file cut short is refused", !bench.complaint(elf).empty());
        }
    }
    for (size_t i = 0; i < whole.size(); i++) {
        for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
            Bytes elf = whole;
            elf[i] = static_cast<uint8_t>(value);
            bench.complaint(elf);
            passed++;
        }
    }
}

void test_arguments(Bench &bench)
{
    const Ram ram = bench.ram();
    bench.fill(0xa5);
    place_arguments(ram, {"prog.elf", "", "M=3"});
    const uint8_t *block = ram.at(ram.argument_address(), Ram::argument_bytes);
    const auto word = [&](uint32_t i) {
        uint32_t value;
        std::memcpy(&value, block + 4 * i, 4);
        return value;
    };
    const auto text = [&](uint32_t i) {
        return std::string(reinterpret_cast<char *>(ram.at(word(1 + i), 1)));
    };
    expect("argc", word(0) == 3);
    expect("argv", text(0) == "prog.elf" && text(1).empty() && text(2) == "M=3");
    const auto fits = [&](size_t length) {
        try {
            place_arguments(ram, {std::string(length, 'x')});
            return true;
        } catch (const std::runtime_error &) {
            return false;
        }
    };
    expect("the longest arguments fit", fits(Ram::argument_bytes - 9));
    expect("longer ones do not", !fits(Ram::argument_bytes - 8));
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        return std::fputs("usage: test_elf SCRATCH_FILE\n", stderr), 2;
    }
    Bench bench(argv[1]);
    test_loading(bench);
    test_refusals(bench);
    test_damage(bench);
    test_arguments(bench);
    std::printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0 || passed == 0;
}
