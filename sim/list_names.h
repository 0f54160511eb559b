// SPDX-License-Identifier: Apache-2.0
// The names of the commands of a list in the chip's memory: those of their layers.
#ifndef FP8MAC_SIM_LIST_NAMES_H
#define FP8MAC_SIM_LIST_NAMES_H

#include <string>
#include <vector>

#include "ram.h"

struct ListNames {
    uint32_t begin = 0, end = 0;    // addresses of the list
    std::vector<std::string> names; // of its commands; empty: there is no recorded network there
};

// Of the recorded network (fp8rt/network_format.h) whose list begins at this address. A list
// without an image has no names.
ListNames names_of_list(const Ram &ram, uint32_t address);

#endif
