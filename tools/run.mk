# SPDX-License-Identifier: Apache-2.0
# `make run`: an application of firmware/apps on the simulated chip.

# What an application accepts as NAME=value is handed on if it was given on make's command line.
RUN_VARIABLES := M N K A B D ACC SA SB SCALE BIAS ACT OVERFLOW SEED DATA IMAGES BATCH FORMAT
run_arguments = $(foreach v,$(RUN_VARIABLES),$(if $(filter command,$(origin $(v))),$(v)=$($(v))))

# The simulator's own options, as `fp8mac-sim --help` lists them.
SIM_ARGS :=
TRACE_FILE := $(BUILD)/$(APP).fst
TRACE_FROM := 0
TRACE_TO :=
run_trace = --trace $(TRACE_FILE) --trace-from $(TRACE_FROM) $(if $(TRACE_TO),--trace-to $(TRACE_TO))

RUN_ELF := $(FW_BUILD)/riscv/$(APP).elf

ifneq (,$(filter run,$(MAKECMDGOALS)))
$(call check_choice,APP,$(FW_APPS))
endif

run: $(SIM) $(RUN_ELF)
	@$(SIM) $(if $(TRACE),$(run_trace)) $(SIM_ARGS) $(RUN_ELF) $(run_arguments)
