# SPDX-License-Identifier: Apache-2.0
# fp8mac-sim: the simulated chip, from Verilator, as a program that runs RISC-V programs.
#   make sim             $(BUILD)/sim/ROWSxCOLSxLANES-ELEMENT/fp8mac-sim
#   make sim AXI_DATA_W=64   the same with a bus of 64 bits, in a folder *-axi64
#   make sim TRACE=1     a simulator that can write waveforms, in a folder *-trace. It takes twice as long to build
# IBEX_DIR is where the package pythondata-cpu-ibex keeps Ibex's sources.

SIM_DIR := $(BUILD)/sim/$(ARRAY)-$(ELEMENT_SPEC)$(AXI_NAME)$(if $(TRACING),-trace)
SIM := $(SIM_DIR)/fp8mac-sim
SIM_MODEL_DIR := $(SIM_DIR)/model
SIM_MODEL := $(SIM_MODEL_DIR)/Vfp8mac_system__ALL.a
# Verilator's own run-time library, compiled with the model.
SIM_SUPPORT := $(patsubst %,$(SIM_MODEL_DIR)/verilated%.o,$(if $(TRACING),_fst_c) _dpi _threads) \
  $(SIM_MODEL_DIR)/verilated.o

# Ibex: its packages are listed, its modules are found in its folder. Its primitives are rtl/system/prim_*.sv.
IBEX_PRIM := $(IBEX_DIR)/vendor/lowrisc_ip/ip/prim/rtl
IBEX_PACKAGES := $(patsubst %,$(IBEX_PRIM)/prim_%_pkg.sv,secded ram_1p util mubi count cipher) \
  $(IBEX_DIR)/rtl/ibex_pkg.sv
IBEX_FLAGS := -I$(IBEX_DIR)/vendor/lowrisc_ip/dv/sv/dv_utils -I$(IBEX_PRIM) -y $(IBEX_DIR)/rtl

SYSTEM_PACKAGE := rtl/system/fp8mac_sys_pkg.sv
SYSTEM_SOURCES := $(SYSTEM_PACKAGE) $(filter-out $(SYSTEM_PACKAGE),$(sort $(wildcard rtl/system/*.sv)))
system_inputs = $(RTL_WAIVER) $(IBEX_PACKAGES) $(1) $(SYSTEM_SOURCES)
SIM_INPUTS := $(call system_inputs,$(RTL_SIM_SOURCES))
SYSTEM_FLAGS := -Wall --assert --top-module fp8mac_system $(IBEX_FLAGS)
# $(1): ROWS_COLS_LANES_AXIWIDTH, and what may follow it.
system_parameters = -GROWS=$(call lint_word,$(1),1) -GCOLS=$(call lint_word,$(1),2) \
  -GLANES=$(call lint_word,$(1),3) -GAXI_DATA_W=$(call lint_word,$(1),4)

# The simulator's --power-up sets the registers' initial values. An 'x of the sources becomes what is fastest.
SIM_VERILATOR_FLAGS := -O3 --x-initial unique --x-assign fast --no-timing \
  --output-split 20000 --output-split-cfuncs 2000 $(if $(TRACING),--trace-fst --trace-structs)
SIM_OPT := OPT_FAST=-O3 OPT_SLOW=-O0 OPT_GLOBAL=-O2

# The checker; firmware/check/build.mk lists its sources.
SIM_CHECK := $(CHECK_COMPARE) firmware/src/element.c
SIM_SOURCES := $(wildcard sim/*.cpp) $(SIM_CHECK)
SIM_OBJECTS := $(patsubst %,$(SIM_DIR)/%.o,$(basename $(notdir $(SIM_SOURCES))))
SIM_INCLUDES := -Isim -Imodel/include -I$(CATALOGUE_DIR) -Ifirmware/include $(CHECK_INCLUDES) -Ifirmware/src -I$(REGS_DIR)
SIM_WARNINGS := -Wall -Wextra -Wconversion -Werror
# No warnings about Verilator's own headers.
SIM_MODEL_INCLUDES := -isystem $(SIM_MODEL_DIR) -isystem $(VERILATOR_ROOT)/include \
  -isystem $(VERILATOR_ROOT)/include/vltstd -DVM_TRACE_FST=$(if $(TRACING),1,0)

.PHONY: sim
sim: $(SIM)

$(SIM): $(SIM_OBJECTS) $(SIM_MODEL) $(BUILD)/model/libfp8mac.a
	$(call say,LINK,$@)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $(SIM_OBJECTS) $(SIM_MODEL) $(SIM_SUPPORT) $(BUILD)/model/libfp8mac.a \
	  -pthread -lm $(if $(TRACING),-lz)

$(SIM_MODEL): $(SIM_INPUTS) sim/fp8mac_sim.vlt sim/build.mk
	@mkdir -p $(SIM_MODEL_DIR)
	$(call say,VERILATE,fp8mac_system $(notdir $(SIM_DIR)))
	$(Q)$(VERILATOR) --cc $(SYSTEM_FLAGS) $(SIM_VERILATOR_FLAGS) $(call system_parameters,$(ROWS)_$(COLS)_$(LANES)_$(AXI_DATA_W)) \
	  $(call element_parameters,$(ELEMENT_SPEC)) --Mdir $(SIM_MODEL_DIR) sim/fp8mac_sim.vlt $(SIM_INPUTS)
	$(call say,CXX,$@ (a minute or two))
	+$(Q)$(MAKE) --no-print-directory -C $(SIM_MODEL_DIR) -f Vfp8mac_system.mk $(SIM_OPT) $(if $(VERBOSE),,-s) \
	  $(notdir $(SIM_MODEL) $(SIM_SUPPORT)) $(if $(VERBOSE),,>/dev/null)
	@touch $@

$(SIM_DIR)/%.o: sim/%.cpp $(SIM_MODEL) sim/build.mk
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -O2 -g $(SIM_WARNINGS) $(SIM_INCLUDES) $(SIM_MODEL_INCLUDES) $(CXXFLAGS) -MMD -MP -c -o $@ $<

# $(1): a folder with sources of the checker.
define SIM_CHECK_OBJECT
$(SIM_DIR)/%.o: $(1)%.c $(REGS_H) $(CATALOGUE_H) sim/build.mk
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$(CC) -std=c11 -O2 -g $(SIM_WARNINGS) $(SIM_INCLUDES) $(CFLAGS) -MMD -MP -c -o $$@ $$<
endef
$(foreach folder,$(sort $(dir $(SIM_CHECK))),$(eval $(call SIM_CHECK_OBJECT,$(folder))))

# The system's lint has the accelerator's parameter sets. Its stamps have the same names in another folder.
SYSTEM_LINT_STAMPS := $(sort $(LINT_SETS:%=$(BUILD)/lint/system/%.ok) $(BUILD)/lint/system/4_4_4_128_aligned_fp32.ok)
lint: $(SYSTEM_LINT_STAMPS)

$(SYSTEM_LINT_STAMPS): $(BUILD)/lint/system/%.ok: $(SIM_INPUTS)
	@mkdir -p $(@D)
	$(call say,LINT,fp8mac_system $*)
	$(Q)$(VERILATOR) --lint-only $(SYSTEM_FLAGS) $(call system_parameters,$*) \
	  $(call lint_element,$*,5) $^
	@touch $@

-include $(SIM_OBJECTS:.o=.d)
include sim/bench/bench.mk
