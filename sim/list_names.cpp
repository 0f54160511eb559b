// SPDX-License-Identifier: Apache-2.0
#include "list_names.h"

#include <algorithm>
#include <cstring>

#include "fp8rt/network_format.h"

namespace
{

constexpr uint32_t word_bytes = sizeof(uint32_t);

// A layer's note: its first command and its name. The commands up to the next note's belong to it.
void name_commands(const uint32_t *note, std::vector<std::string> &names)
{
    const size_t most = (fp8rt_note_words(*note) - 2) * word_bytes;
    const char *text = reinterpret_cast<const char *>(&note[2]);
    const std::string name(text, strnlen(text, most));
    for (size_t command = note[1]; command < names.size(); command++) {
        names[command] = name;
    }
}

} // namespace

ListNames names_of_list(const Ram &ram, uint32_t address)
{
    constexpr uint32_t header = FP8RT_IMAGE_HEADER * word_bytes;
    ListNames list;
    uint32_t head[FP8RT_IMAGE_HEADER];
    const uint8_t *bytes = ram.at(uint64_t{address} - header, header);
    if (address < header || bytes == nullptr) {
        return list;
    }
    std::memcpy(head, bytes, header);
    const uint32_t words = head[FP8RT_IMAGE_WORD_WORDS], commands = head[FP8RT_IMAGE_WORD_COMMANDS];
    const uint8_t *image = ram.at(address - header, uint64_t{words} * word_bytes);
    if (head[FP8RT_IMAGE_WORD_MAGIC] != FP8RT_IMAGE_MAGIC || image == nullptr || commands > words ||
        head[FP8RT_IMAGE_WORD_LIST] > words) {
        return list;
    }
    std::vector<uint32_t> all(words);
    std::memcpy(all.data(), image, words * word_bytes);
    list.begin = address;
    list.end = address + head[FP8RT_IMAGE_WORD_LIST] * word_bytes;
    list.names.resize(commands);
    for (size_t at = FP8RT_IMAGE_HEADER + head[FP8RT_IMAGE_WORD_LIST];
         at < words && fp8rt_note_words(all[at]) <= words - at; at += fp8rt_note_words(all[at])) {
        if (fp8rt_note_kind_of(all[at]) == FP8RT_NOTE_LAYER && fp8rt_note_words(all[at]) > 2) {
            name_commands(&all[at], list.names);
        }
    }
    return list;
}
