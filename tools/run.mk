# SPDX-License-Identifier: Apache-2.0
# `make run`: an application on the simulated chip, or with HOST=1 on the host (`make waves` is in sim/waves). The
# application gets NAME=value for each of its own options on make's command line. A source of the application declares
# an option in a comment: "//: NAME=meaning". "//: --silence CYCLES" tells the simulator how long the application may take
# without console output; SIM_ARGS comes later, and wins.

app_options = $(if $(wildcard $(APPS_DIR)/$(1)/*),$(sort $(shell sed -n 's|^//: *\([A-Za-z_][A-Za-z0-9_]*\)=.*|\1|p' \
  $(call fw_sources,$(APPS_DIR)/$(1)))))
app_silence = $(if $(wildcard $(APPS_DIR)/$(1)/*),$(shell sed -n 's|^//: *\(--silence *[0-9][0-9]*\)$$|\1|p' \
  $(call fw_sources,$(APPS_DIR)/$(1))))
# Quotes any text as one word for the shell. $(1): the text.
quote = '$(subst ','\'',$(1))'

SIM_ARGS :=
TRACE_FILE := $(BUILD)/$(APP).fst
TRACE_FROM :=
TRACE_TO :=
run_trace = --trace $(call quote,$(TRACE_FILE)) $(if $(TRACE_FROM),--trace-from $(TRACE_FROM)) \
  $(if $(TRACE_TO),--trace-to $(TRACE_TO))

RUN_ELF := $(FW_BUILD)/riscv/$(APP).elf

ifneq (,$(filter run waves,$(MAKECMDGOALS)))
$(call check_choice,APP,$(FW_APPS))
RUN_OPTIONS := $(call app_options,$(APP))
# An option of this name would hide a variable of the build.
run_hidden := $(filter $(RUN_OPTIONS),$(shell awk '/^[A-Z]/ && $$2 ~ /every|run/ {print $$1}' tools/variables.txt))
ifneq (,$(run_hidden))
$(error APP=$(APP) declares the option $(firstword $(run_hidden)), which is a variable of make run: choose another name)
endif
endif
run_arguments = $(foreach v,$(RUN_OPTIONS),$(if $(filter command,$(firstword $(origin $(v)))),$(call quote,$(v)=$($(v)))))

HOST :=
$(call check_choice,HOST,0 1,0)
ifneq (,$(filter-out 0,$(HOST)))
$(foreach v,SIM_ARGS,$(if $(filter command,$(firstword $(origin $(v)))),$(error $(v) has no effect with HOST=1)))
run: $(FW_BUILD)/host/$(APP)
	@FP8RT_ARRAY=$(ARRAY) FP8RT_ELEMENT=$(ELEMENT_SPEC) FP8RT_AXI_DATA_W=$(AXI_DATA_W) FP8RT_REQUANTISE=$(REQUANTISE) \
	  FP8RT_MINIMAL=$(MINIMAL) $< $(run_arguments)
else
run: $(SIM) $(RUN_ELF)
	@$(SIM) $(call app_silence,$(APP)) $(SIM_ARGS) $(RUN_ELF) $(run_arguments)
endif
