// SPDX-License-Identifier: Apache-2.0
#include "elf_loader.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace
{

// Offsets and codes of the ELF specification (32-bit).
constexpr uint32_t header_bytes = 52;
constexpr uint32_t segment_bytes = 32;
constexpr uint32_t section_bytes = 40;
constexpr uint32_t symbol_bytes = 16;
constexpr uint8_t class_32 = 1, little_endian = 1;
constexpr uint16_t type_executable = 2, machine_riscv = 243;
constexpr uint32_t segment_load = 1, section_symbols = 2;
constexpr uint8_t symbol_function = 2;

class Image
{
  public:
    explicit Image(const std::string &path) : path_(path)
    {
        std::ifstream file(path, std::ios::binary);
        if (!file || !std::filesystem::is_regular_file(path)) {
            fail("is not a file that can be read");
        }
        data_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        if (data_.size() != std::filesystem::file_size(path)) {
            fail("cannot be read");
        }
    }

    [[noreturn]] void fail(const std::string &why) const
    {
        throw std::runtime_error("'" + path_ + "' " + why);
    }

    const uint8_t *at(uint64_t offset, uint64_t length) const
    {
        if (offset > data_.size() || length > data_.size() - offset) {
            fail("is cut short or damaged");
        }
        return data_.data() + offset;
    }
    uint8_t byte(uint64_t offset) const
    {
        return *at(offset, 1);
    }
    uint16_t half(uint64_t offset) const
    {
        const uint8_t *p = at(offset, 2);
        return static_cast<uint16_t>(p[0] | p[1] << 8);
    }
    uint32_t word(uint64_t offset) const
    {
        return half(offset) | static_cast<uint32_t>(half(offset + 2)) << 16;
    }

    // The NUL-terminated string at `offset`, which must end before `end`.
    std::string text(uint64_t offset, uint64_t end) const
    {
        std::string s;
        for (; offset < end && byte(offset) != 0; offset++) {
            s.push_back(static_cast<char>(byte(offset)));
        }
        return s;
    }

  private:
    std::string path_;
    std::vector<uint8_t> data_;
};

std::string hex(uint32_t value)
{
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", value);
    return text;
}

void check_header(const Image &elf)
{
    if (std::memcmp(elf.at(0, 4), "\177ELF", 4) != 0) {
        elf.fail("is not an ELF file");
    }
    elf.at(0, header_bytes);
    if (elf.byte(4) != class_32 || elf.byte(5) != little_endian) {
        elf.fail("is not 32-bit little-endian");
    }
    if (elf.half(18) != machine_riscv) {
        elf.fail("is not for RISC-V");
    }
    if (elf.half(16) != type_executable) {
        elf.fail("is not an executable (an object or a shared library?)");
    }
    if (elf.half(42) != segment_bytes || elf.half(44) == 0) {
        elf.fail("has no segments to load");
    }
}

// Loads the segment of one program header. Returns whether it wrote anything to RAM.
bool load_segment(const Image &elf, uint64_t header, const Ram &ram)
{
    if (elf.word(header) != segment_load) {
        return false;
    }
    const uint32_t offset = elf.word(header + 4), address = elf.word(header + 12);
    const uint32_t file_size = elf.word(header + 16), size = elf.word(header + 20);
    if (size == 0) {
        return false;
    }
    if (file_size > size) {
        elf.fail("has a segment that is larger in the file than in memory");
    }
    uint8_t *target = ram.at(address, size);
    if (target == nullptr || uint64_t{address} + size > ram.argument_address()) {
        elf.fail("has a segment at " + hex(address) + " of " + std::to_string(size) +
                 " bytes, outside " + hex(Ram::base) + ".." + hex(ram.argument_address() - 1));
    }
    std::memcpy(target, elf.at(offset, file_size), file_size);
    std::memset(target + file_size, 0, size - file_size);
    return true;
}

// Reads the functions and the stack's ends from one symbol table. The names are in section number
// `strings`.
void read_symbols(const Image &elf, uint64_t table, uint64_t strings, Program &program)
{
    const uint64_t offset = elf.word(table + 16), count = elf.word(table + 20) / symbol_bytes;
    const uint64_t text = elf.word(strings + 16), text_end = text + elf.word(strings + 20);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t symbol = offset + i * symbol_bytes;
        if (elf.half(symbol + 14) == 0) {
            continue; // not defined here
        }
        const uint32_t value = elf.word(symbol + 4);
        const std::string name = elf.text(text + elf.word(symbol), text_end);
        if ((elf.byte(symbol + 12) & 0xf) == symbol_function) {
            program.functions[value] = name;
        } else if (name == "__stack_bottom") {
            program.stack_bottom = value;
        } else if (name == "__stack_top") {
            program.stack_top = value;
        }
    }
}

void read_all_symbols(const Image &elf, Program &program)
{
    const uint64_t sections = elf.word(32), count = elf.half(48);
    if (sections == 0 || elf.half(46) != section_bytes) {
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t section = sections + i * section_bytes;
        const uint64_t strings = elf.word(section + 24);
        if (elf.word(section + 4) == section_symbols && strings < count) {
            read_symbols(elf, section, sections + strings * section_bytes, program);
        }
    }
}

} // namespace

std::string Program::location(uint32_t address) const
{
    auto after = functions.upper_bound(address);
    if (after == functions.begin()) {
        return "-";
    }
    --after;
    char offset[16];
    std::snprintf(offset, sizeof offset, "+0x%x", address - after->first);
    return after->second + offset;
}

std::string Program::describe(uint32_t address) const
{
    const std::string where = location(address);
    return where == "-" ? hex(address) : hex(address) + " (" + where + ")";
}

Program load_elf(const std::string &path, const Ram &ram)
{
    const Image elf(path);
    check_header(elf);
    const uint64_t headers = elf.word(28), count = elf.half(44);
    bool loaded = false;
    for (uint64_t i = 0; i < count; i++) {
        loaded |= load_segment(elf, headers + i * segment_bytes, ram);
    }
    if (!loaded) {
        elf.fail("has no segments to load");
    }
    Program program;
    program.entry = elf.word(24);
    read_all_symbols(elf, program);
    return program;
}
