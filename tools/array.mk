# SPDX-License-Identifier: Apache-2.0
# Refuses an array that the accelerator cannot be, before anything is built from it.
ARRAY_SIDES := 2 4 8 16 32
ARRAY_LANES := 1 2 4 8 16
check_choice = $(if $(filter $($(1)),$(2)),,$(error $(1)=$($(1)) is not possible: choose one of $(2)))
$(call check_choice,ROWS,$(ARRAY_SIDES))
$(call check_choice,COLS,$(ARRAY_SIDES))
# An element that is only synthesised may have any LANES that synth/ knows.
ifneq (,$(filter-out synth synth-full,$(or $(MAKECMDGOALS),all)))
$(call check_choice,LANES,$(ARRAY_LANES))
endif
ARRAY := $(ROWS)x$(COLS)x$(LANES)
