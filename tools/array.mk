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

empty :=
space := $(empty) $(empty)
# What it is made of: kinds of elements, their numbers in fp8mac_array_pkg, and of a window the fraction bits that are
# possible, and those that it has unless told otherwise.
ELEMENTS := exact aligned_fp32 aligned_fp16 late_fp32 late_fp16 kulisch
element_number_exact := 0
element_number_aligned_fp32 := 1
element_number_aligned_fp16 := 2
element_number_kulisch := 3
element_number_late_fp32 := 5
element_number_late_fp16 := 6
element_frac_bits_aligned_fp32 := 23 24 25 26 27 28 29
element_frac_bits_aligned_fp16 := 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29
# With one lane there is no window.
element_frac_bits_late_fp32 := $(if $(filter-out 1,$(LANES)),$(element_frac_bits_aligned_fp16))
element_frac_bits_late_fp16 := $(element_frac_bits_late_fp32)
element_default_bits_aligned_fp32 := 25
element_default_bits_aligned_fp16 := 13
element_default_bits_late_fp32 := $(if $(element_frac_bits_late_fp32),25)
element_default_bits_late_fp16 := $(if $(element_frac_bits_late_fp16),13)
$(call check_choice,ELEMENT,$(ELEMENTS))
element_windows := $(strip $(foreach e,$(ELEMENTS),$(if $(element_frac_bits_$(e)),$(e))))
ifneq (,$(FRAC_BITS))
ifeq (,$(element_frac_bits_$(ELEMENT)))
$(error FRAC_BITS is not possible with ELEMENT=$(ELEMENT) LANES=$(LANES), which has no window: \
  choose ELEMENT=$(subst $(space), or ELEMENT=,$(element_windows)))
endif
$(call check_choice,FRAC_BITS,$(element_frac_bits_$(ELEMENT)))
endif

# One word for all of it: exact, kulisch, or as aligned_fp32-25.
ELEMENT_SPEC := $(subst $(space),-,$(strip $(ELEMENT) $(or $(FRAC_BITS),$(element_default_bits_$(ELEMENT)))))
element_kind = $(element_number_$(firstword $(subst -, ,$(1))))
element_bits = $(word 2,$(subst -, ,$(1)))
# Verilator's options for a module with the parameters ELEMENT and FRAC_BITS. $(1): ELEMENT_SPEC.
element_parameters = -GELEMENT=$(element_kind) $(if $(element_bits),-GFRAC_BITS=$(element_bits))
# The same for a C++ bench.
element_defines = -DELEMENT_KIND=$(element_kind) -DFRAC_BITS=$(or $(element_bits),0)

ARRAY := $(ROWS)x$(COLS)x$(LANES)
