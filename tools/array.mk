# SPDX-License-Identifier: Apache-2.0
# Refuses an impossible array before anything is built from it.
ARRAY_SIDES := 2 4 8 16 32
ARRAY_LANES := 1 2 4 8 16
check_choice = $(if $(filter $(or $($(1)),$(3)),$(2)),,$(error $(1)=$($(1)) is not possible: choose one of $(2)))
$(call check_choice,ROWS,$(ARRAY_SIDES))
$(call check_choice,COLS,$(ARRAY_SIDES))
# synth/study/request.py checks the same variables for synthesis, which takes more kinds, LANES and FRAC_BITS than an
# array that runs.
array_is_run := $(filter-out synth synth-full synth-accel,$(or $(MAKECMDGOALS),all))
ifneq (,$(array_is_run))
$(call check_choice,LANES,$(ARRAY_LANES))
endif

# The kind of element and the fraction bits of its alignment window, from the catalogue (rtl/catalogue/elements.toml).
# On a new machine, or with a changed catalogue, make reads this file twice: before the catalogue's fragment is written,
# and after.
ifneq (,$(and $(ELEMENTS),$(shell find $(CATALOGUE_DIR)/catalogue.mk -newer rtl/catalogue/elements.toml 2>/dev/null)))
array_elements := $(ELEMENTS_ACCELERATOR)
# The fraction bits that are possible: none where there is no window.
element_has_window = $(and $(element_frac_bits_$(1)),$(filter-out $(element_no_window_lanes_$(1)),$(LANES)))
ifneq (,$(array_is_run))
$(call check_choice,ELEMENT,$(array_elements))
ifneq (,$(FRAC_BITS))
ifeq (,$(call element_has_window,$(ELEMENT)))
$(error FRAC_BITS is not possible with ELEMENT=$(ELEMENT) LANES=$(LANES), which has no alignment window: \
  choose ELEMENT=$(subst $(space), or ELEMENT=,$(strip $(foreach e,$(array_elements),$(if $(call element_has_window,$(e)),$(e))))))
endif
$(call check_choice,FRAC_BITS,$(element_frac_bits_$(ELEMENT)))
endif
endif

# The element's spelling without its lanes: KIND, or KIND_fF where it has a window, as late_fp16_f13.
element_f = $(if $(FRAC_BITS),_f$(FRAC_BITS),$(if $(call element_has_window,$(ELEMENT)),_f$(element_default_frac_bits_$(ELEMENT))))
ELEMENT_SPEC := $(ELEMENT)$(element_f)
endif
# From such a spelling: the name of the kind, its number, its fraction bits. Of two names that fit, as of `late` and
# `late_fp32`, it is the longer one.
element_name = $(lastword $(sort $(foreach e,$(ELEMENTS),$(if $(filter $(e) $(e)_f%,$(1)),$(e)))))
element_kind = $(element_number_$(element_name))
element_bits = $(patsubst $(element_name)_f%,%,$(filter $(element_name)_f%,$(1)))
# Verilator's options for a module with the parameters ELEMENT and FRAC_BITS. $(1): the spelling.
element_parameters = -GELEMENT=$(element_kind) $(if $(element_bits),-GFRAC_BITS=$(element_bits))
# The same for a C++ bench.
element_defines = -DELEMENT_KIND=$(element_kind) -DFRAC_BITS=$(or $(element_bits),0)

ARRAY := $(ROWS)x$(COLS)x$(LANES)
$(call check_choice,AXI_DATA_W,64 128 256)
$(call check_choice,MINIMAL,0 1)
$(call check_choice,REQUANTISE,0 1)
$(call check_choice,INFERENCE,0 1)
ifneq (,$(and $(filter 1,$(INFERENCE)),$(filter-out block64_fp32,$(ELEMENT))))
$(error INFERENCE=1 is not possible with ELEMENT=$(ELEMENT): leave one of both out)
endif
ifneq (,$(and $(filter 1,$(REQUANTISE)),$(filter-out int8,$(ELEMENT))))
$(error REQUANTISE=1 is not possible with ELEMENT=$(ELEMENT): choose ELEMENT=int8)
endif
# In the name of a simulator, or a release, whose bus is not the default one, whose accelerator is the minimal one, or requantises
AXI_NAME := $(if $(filter-out 128,$(AXI_DATA_W)),-axi$(AXI_DATA_W))
MINIMAL_NAME := $(if $(filter 1,$(MINIMAL)),-minimal)$(if $(filter 1,$(REQUANTISE)),-requantise)
