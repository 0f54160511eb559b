// SPDX-License-Identifier: Apache-2.0
#ifndef FAULTS_COMMANDS_H
#define FAULTS_COMMANDS_H

#include "faults_tally.h"

// Illegal commands and bus errors, given to the device; a full queue.
void faults_run_commands(faults *f);

#endif
