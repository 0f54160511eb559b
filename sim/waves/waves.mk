# SPDX-License-Identifier: Apache-2.0
# `make waves APP=...` runs an application as `make run` does, on a simulator that writes a waveform, and writes a
# GTKWave view of it.

WAVES_NAMES := $(BUILD)/sim/waves-names
$(WAVES_NAMES): sim/waves/names.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu11 -O1 -w -DFST_CONFIG_INCLUDE='"fst_config.h"' -I$(VERILATOR_ROOT)/include \
	  -I$(VERILATOR_ROOT)/include/gtkwave -o $@ $< \
	  $(patsubst %,$(VERILATOR_ROOT)/include/gtkwave/%.c,fstapi fastlz lz4) -lz

waves: $(SIM) $(RUN_ELF) $(WAVES_NAMES)
	@$(SIM) $(run_trace) $(call app_silence,$(APP)) $(SIM_ARGS) $(RUN_ELF) $(run_arguments)
	@$(PYTHON) -B sim/waves/save_file.py $(WAVES_NAMES) $(call quote,$(TRACE_FILE)) $(call quote,$(TRACE_FILE:.fst=.gtkw))
