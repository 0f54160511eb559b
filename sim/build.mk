# SPDX-License-Identifier: Apache-2.0
# fp8mac-sim: the simulated chip, from Verilator, as a program that runs RISC-V programs. It has two models: the chip
# with its core, and the accelerator, which is evaluated only while it has work (sim/partitioned). One that writes waveforms
# has both in one model and evaluates everything.
#   make sim             $(BUILD)/sim/ROWSxCOLSxLANES-ELEMENT/fp8mac-sim
#   make sim AXI_DATA_W=64   the same with a bus of 64 bits, in a folder *-axi64
#   make waves           builds one that can write waveforms, in a folder *-trace
#   make sim MINIMAL=1   an accelerator without the functions that can be left out, in a folder *-minimal
#   make sim ELEMENT=int8 REQUANTISE=1   one with the integer requantiser, in a folder *-requantise
#   make sim TIMED=1     the timing model, in a folder *-timed: the accelerator is its registers and models in C (sim/timed)
# IBEX_DIR is where the package pythondata-cpu-ibex keeps Ibex's sources.

$(call check_choice,TIMED,0 1,0)
TIMED_MODE := $(filter-out 0,$(TIMED))
ifneq (,$(and $(TIMED_MODE),$(strip $(TRACING) $(filter 1,$(MINIMAL)))))
$(error TIMED=1 is not possible with MINIMAL=1 or for waveforms)
endif
# The simulators of an array: $(SIM_BASE), with -timed, with -trace. SIM is the one asked for.
SIM_BASE := $(BUILD)/sim/$(ARRAY)-$(ELEMENT_SPEC)$(AXI_NAME)$(MINIMAL_NAME)
SIM_DIR := $(SIM_BASE)$(if $(TIMED_MODE),-timed)$(if $(TRACING),-trace)
SIM := $(SIM_DIR)/fp8mac-sim
SIM_RTL := $(SIM_BASE)/fp8mac-sim
SIM_TIMED := $(SIM_BASE)-timed/fp8mac-sim
# The core with RAM alone, with which the speed of the others is compared.
SIM_CORE := $(BUILD)/sim/core/fp8mac-sim

# The installed library (firmware/install.mk) comes with the simulator.
install-firmware: $(SIM)

# Ibex: its packages are listed, its modules are found in its folder. Its primitives are rtl/system/prim_*.sv.
IBEX_PRIM := $(IBEX_DIR)/vendor/lowrisc_ip/ip/prim/rtl
IBEX_PACKAGES := $(patsubst %,$(IBEX_PRIM)/prim_%_pkg.sv,secded ram_1p util mubi count cipher) \
  $(IBEX_DIR)/rtl/ibex_pkg.sv
IBEX_FLAGS := -I$(IBEX_DIR)/vendor/lowrisc_ip/dv/sv/dv_utils -I$(IBEX_PRIM) -y $(IBEX_DIR)/rtl

SYSTEM_PACKAGE := rtl/system/fp8mac_sys_pkg.sv
system_modules = $(SYSTEM_PACKAGE) $(patsubst %,rtl/system/fp8mac_sys_%.sv,$(1))
SYSTEM_PRIMITIVES := $(sort $(wildcard rtl/system/prim_*.sv))
SYSTEM_SOURCES := $(SYSTEM_PACKAGE) $(filter-out $(SYSTEM_PACKAGE),$(sort $(wildcard rtl/system/*.sv)))
# The whole chip. $(1): the accelerator's sources.
system_inputs = $(RTL_WAIVER) $(IBEX_PACKAGES) $(1) $(SYSTEM_SOURCES)
SIM_INPUTS := $(call system_inputs,$(RTL_SIM_SOURCES))
# The chip without the accelerator, and the accelerator
SIM_INPUTS_CHIP := $(RTL_WAIVER) $(IBEX_PACKAGES) $(CATALOGUE_SV) $(call system_modules,core fetch_ahead bus ctrl timer ram) \
  $(SYSTEM_PRIMITIVES) sim/partitioned/fp8mac_sys_accel.sv rtl/system/fp8mac_system.sv
accel_inputs = $(RTL_WAIVER) $(1) $(call system_modules,accel apb axi_read axi_write axi_checker bus_trace stall timeline usage)
SIM_INPUTS_ACCEL := $(call accel_inputs,$(RTL_SIM_SOURCES))
# The timing model replaces all behind the registers.
SIM_INPUTS_ACCEL_TIMED := $(RTL_WAIVER) $(RTL_PACKAGES) $(filter-out $(RTL_PACKAGES),$(REGS_SV)) \
  $(patsubst %,rtl/accel/fp8mac_%.sv,csr report records) $(call system_modules,apb) sim/timed/fp8mac_sys_accel.sv
# The core with RAM alone
SIM_INPUTS_CORE := $(RTL_WAIVER) $(IBEX_PACKAGES) $(call system_modules,core fetch_ahead bus ctrl ram) $(SYSTEM_PRIMITIVES) \
  sim/speed/fp8mac_system.sv
SYSTEM_FLAGS := -Wall --assert $(IBEX_FLAGS)
# $(1): ROWS_COLS_LANES_AXIWIDTH, and what may follow it.
system_parameters = -GROWS=$(call lint_word,$(1),1) -GCOLS=$(call lint_word,$(1),2) \
  -GLANES=$(call lint_word,$(1),3) -GAXI_DATA_W=$(call lint_word,$(1),4)

# The simulator's --power-up sets the registers' initial values. An 'x of the sources becomes what is fastest.
SIM_VERILATOR_FLAGS := -O3 --x-initial unique --x-assign fast --no-timing \
  --output-split 20000 --output-split-cfuncs 2000
SIM_OPTIMISE := -O3
# One that writes waveforms waits for them most of the time.
SIM_OPTIMISE_TRACE := -O1
# A model is compiled in parts (tools/units.sh), side by side.
SIM_UNITS := fast_1 fast_2 fast_3 slow

# The checker; firmware/check/build.mk lists its sources.
SIM_CHECK := $(CHECK_COMPARE) firmware/src/element.c firmware/check/random.c
# What the simulator shares with the golden model's tool
SIM_TOOL := model/cli/trace_events.c
SIM_SOURCES := $(wildcard sim/*.cpp) $(SIM_CHECK) $(SIM_TOOL)
# Those that do not see a model are compiled once for all simulators,
SIM_SHARED_SOURCES := $(patsubst %,sim/%.cpp,bus_trace disassemble elf_loader list_names options ram timeline) $(SIM_CHECK) $(SIM_TOOL)
SIM_SHARED := $(patsubst %,$(BUILD)/sim/shared/%.o,$(basename $(notdir $(SIM_SHARED_SOURCES))))
# and those that see the chip alone once for each width of the bus.
SIM_CHIP_SOURCES := $(filter-out $(SIM_SHARED_SOURCES),$(SIM_SOURCES))
SIM_SOURCES_TIMED := sim/timed/model.cpp
SIM_TIMED_FLAGS := -Imodel/src -Ifirmware/port/host -DFP8SIM_ROWS=$(ROWS) -DFP8SIM_COLS=$(COLS) -DFP8SIM_LANES=$(LANES) \
  -DFP8SIM_ELEMENT=$(call element_kind,$(ELEMENT_SPEC)) -DFP8SIM_AXI_DATA_W=$(AXI_DATA_W) \
  -DFP8SIM_REQUANTISE=$(REQUANTISE) \
  $(foreach v,ARRAY=$(ARRAY) ELEMENT_SPEC=$(ELEMENT_SPEC) WIDTH=$(AXI_DATA_W),-DFP8SIM_$(subst =,='",$(v))"')
# How an accelerator is spelled
SIM_TIMED_HOST := $(BUILD)/sim/timed-host.a
SIM_INCLUDES := -Isim -Imodel/cli -Imodel/include -I$(CATALOGUE_DIR) -Ifirmware/include $(CHECK_INCLUDES) -Ifirmware/src \
  -I$(REGS_DIR)
SIM_WARNINGS := -Wall -Wextra -Wconversion -Werror
# No warnings about Verilator's own headers. $(1): the folder of the model.
sim_model_includes = -isystem $(1) -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd

.PHONY: sim
sim: $(SIM)

sim_objects = $(patsubst %,$(1)/%.o,$(basename $(notdir $(2))))
sim_units = $(SIM_UNITS:%=$(1)/%.o)
SIM_LIBRARIES := $(SIM_SHARED) $(VERILATED) $(VERILATED_DPI) $(BUILD)/model/libfp8mac.a

# A model. $(1): its folder; $(2): its top module; $(3): the variable of its inputs; $(4): Verilator's parameters; $(5):
# -trace, -ports (a waveform whose structures are vectors, sim/ports), or nothing.
define SIM_MODEL
$(1)/units: $$($(3)) sim/fp8mac_sim.vlt sim/build.mk tools/units.sh
	@mkdir -p $$(@D)
	$$(call say,VERILATE,$(patsubst $(BUILD)/sim/%,%,$(1)))
	$$(Q)rm -f $$(@D)/V*.cpp $$(@D)/V*.h
	$$(Q)$(VERILATOR) --cc $(SYSTEM_FLAGS) --top-module $(2) $(SIM_VERILATOR_FLAGS) \
	  $(if $(5),--trace-fst $(if $(filter -trace,$(5)),--trace-structs)) $(4) --Mdir $$(@D) sim/fp8mac_sim.vlt $$($(3))
	$$(Q)tools/units.sh $$(@D) $$(words $$(filter fast_%,$(SIM_UNITS)))
	@touch $$@

$(call sim_units,$(1)): $(1)/%.o: $(1)/units
	$$(call say,CXX,$$@)
	$$(Q)$(CXX) -std=c++17 $$(if $$(filter slow,$$*),-O0,$(if $(5),$(SIM_OPTIMISE_TRACE),$$(SIM_OPTIMISE))) -w \
	  $(call sim_model_includes,$(1)) -DVM_TRACE_FST=$(if $(5),1,0) -c -o $$@ $$(@:.o=.cpp)

endef

# Compiles C++ sources that see models. $(1): folder of the objects; $(2): folder of the sources; $(3): folders of the
# models; $(4): -trace or nothing; $(5): what messages call the simulator; $(6): more options.
define SIM_CXX
$(1)/%.o: $(2)%.cpp $(3:%=%/units) $(CATALOGUE_H) sim/build.mk
	@mkdir -p $$(@D)
	$$(call say,CXX,$$@)
	$$(Q)$(CXX) -std=c++17 -O2 -g $(SIM_WARNINGS) $(SIM_INCLUDES) $(foreach model,$(3),$(call sim_model_includes,$(model))) \
	  -DVM_TRACE_FST=$(if $(4),1,0) -DFP8SIM_MODE='"$(5)"' $(6) $(CXXFLAGS) -MMD -MP -c -o $$@ $$<

endef

# A simulator with one model. $(1): its folder; $(2): the variable of its model's inputs; $(3): Verilator's parameters;
# $(4): -trace, -ports or nothing; $(5): more sources than SIM_SOURCES; $(6): what its messages call it.
define SIMULATOR
$(1)/fp8mac-sim: $(call sim_objects,$(1),$(SIM_CHIP_SOURCES) sim/monolithic/accelerator.cpp $(5)) \
    $(call sim_units,$(1)/model) $(if $(4),$(VERILATED_FST)) $(SIM_LIBRARIES)
	$$(call say,LINK,$$@)
	$$(Q)$(CXX) $(LDFLAGS) -o $$@ $$^ -pthread -lm $(if $(4),-lz)

$(call SIM_MODEL,$(1)/model,fp8mac_system,$(2),$(3),$(4))
$(foreach folder,sim/ sim/monolithic/,$(call SIM_CXX,$(1),$(folder),$(1)/model,$(4),$(6)))
-include $(patsubst %,$(1)/%.d,accelerator $(basename $(notdir $(SIM_CHIP_SOURCES) $(5))))
endef

# The part that all simulators with two models share. $(1): bits of the bus
sim_chip = $(BUILD)/sim/chip-axi$(1)
sim_chip_objects = $(call sim_objects,$(call sim_chip,$(1)),$(SIM_CHIP_SOURCES)) $(call sim_units,$(call sim_chip,$(1))/model)
define SIM_CHIP
$(call SIM_MODEL,$(call sim_chip,$(1))/model,fp8mac_system,SIM_INPUTS_CHIP,-GAXI_DATA_W=$(1))
$(call SIM_CXX,$(call sim_chip,$(1)),sim/,$(call sim_chip,$(1))/model)
-include $(patsubst %,$(call sim_chip,$(1))/%.d,$(basename $(notdir $(SIM_CHIP_SOURCES))))
endef

# A simulator with two models. $(1): its folder; $(2): the variable of the accelerator's inputs; $(3): Verilator's
# parameters; $(4): more sources; $(5): what its messages call it; $(6): the header of its model; $(7): more options;
# $(8): more libraries.
sim_partitioned_objects = $(call sim_objects,$(1),sim/partitioned/accelerator.cpp $(2)) $(call sim_units,$(1)/model) \
  $(call sim_chip_objects,$(AXI_DATA_W)) $(SIM_LIBRARIES)
define SIMULATOR_PARTITIONED
$(1)/fp8mac-sim: $(call sim_partitioned_objects,$(1),$(4)) $(8)
	$$(call say,LINK,$$@)
	$$(Q)$(CXX) $(LDFLAGS) -o $$@ $$(filter-out %.a,$$^) $(8) $$(filter-out $(8),$$(filter %.a,$$^)) -pthread -lm

$(call SIM_MODEL,$(1)/model,fp8mac_sys_accel,$(2),$(3))
$(foreach folder,sim/partitioned/ sim/timed/,$(call SIM_CXX,$(1),$(folder),$(1)/model $(call sim_chip,$(AXI_DATA_W))/model,,$(5),-DFP8SIM_MODEL='"$(6)"' $(7)))
-include $(patsubst %,$(1)/%.d,accelerator $(basename $(notdir $(4))))
endef

# $(1): the simulator's folder; $(2): a folder with C sources; $(3): more options.
define SIMULATOR_C
$(1)/%.o: $(2)%.c $(REGS_H) $(CATALOGUE_H) sim/build.mk
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$(CC) -std=c11 -O2 -g $(SIM_WARNINGS) $(SIM_INCLUDES) $(3) $(CFLAGS) -MMD -MP -c -o $$@ $$<


endef

$(BUILD)/sim/shared/%.o: sim/%.cpp $(CATALOGUE_H) $(REGS_H) sim/build.mk
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -O2 -g $(SIM_WARNINGS) $(SIM_INCLUDES) $(CXXFLAGS) -MMD -MP -c -o $@ $<

$(foreach folder,$(sort $(dir $(SIM_CHECK) $(SIM_TOOL))),$(eval $(call SIMULATOR_C,$(BUILD)/sim/shared,$(folder))))
-include $(SIM_SHARED:.o=.d)

sim_chip_parameters := $(call system_parameters,$(ROWS)_$(COLS)_$(LANES)_$(AXI_DATA_W)) \
  $(call element_parameters,$(ELEMENT_SPEC)) "-GMINIMAL=1'd$(MINIMAL)" "-GREQUANTISE=1'd$(REQUANTISE)"
$(foreach width,64 128 256,$(eval $(call SIM_CHIP,$(width))))
$(eval $(call SIMULATOR_PARTITIONED,$(SIM_BASE),SIM_INPUTS_ACCEL,$(sim_chip_parameters),,RTL,partitioned/model.h))
$(eval $(call SIMULATOR_PARTITIONED,$(SIM_BASE)-timed,SIM_INPUTS_ACCEL_TIMED,$(sim_chip_parameters),$(SIM_SOURCES_TIMED),timing \
  model,timed/model.h,$(SIM_TIMED_FLAGS),$(SIM_TIMED_HOST)))
SIM_RTL_OBJECTS := $(call sim_partitioned_objects,$(SIM_BASE))
SIM_TIMED_OBJECTS := $(call sim_partitioned_objects,$(SIM_BASE)-timed,$(SIM_SOURCES_TIMED))

$(SIM_TIMED_HOST): $(patsubst %,$(BUILD)/firmware/host/obj/%.o,firmware/src/element.c firmware/port/host/choice.c)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The cycles of recorded networks in a dump of the chip's memory, by the model
SIM_LISTS := $(SIM_BASE)-lists/fp8mac-lists
SIM_LISTS_OBJECTS := $(call sim_objects,$(SIM_BASE)-lists,sim/lists/lists.c)
$(eval $(call SIMULATOR_C,$(SIM_BASE)-lists,sim/lists/,$(SIM_TIMED_FLAGS)))
-include $(SIM_LISTS_OBJECTS:.o=.d)
$(SIM_LISTS): $(SIM_LISTS_OBJECTS) $(SIM_TIMED_HOST) $(BUILD)/model/libfp8mac.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -pthread -lm

.PHONY: lists
lists: $(SIM_LISTS)

# Those that write waveforms have everything in one model, under one name of the top.
$(eval $(call SIMULATOR,$(SIM_BASE)-trace,SIM_INPUTS,$(sim_chip_parameters),-trace,,RTL))
$(eval $(call SIMULATOR,$(BUILD)/sim/core,SIM_INPUTS_CORE,,,,core alone))

# The system's lint has the accelerator's parameter sets. Its stamps have the same names in another folder.
SYSTEM_LINT_STAMPS := $(sort $(LINT_SETS:%=$(BUILD)/lint/system/%.ok) $(BUILD)/lint/system/4_4_4_128_aligned_fp32.ok)
lint: $(SYSTEM_LINT_STAMPS)

$(SYSTEM_LINT_STAMPS): $(BUILD)/lint/system/%.ok: $(SIM_INPUTS)
	@mkdir -p $(@D)
	$(call say,LINT,fp8mac_system $*)
	$(Q)$(VERILATOR) --lint-only $(SYSTEM_FLAGS) --top-module fp8mac_system $(call system_parameters,$*) \
	  $(call lint_element,$*,5) $^
	@touch $@

include sim/speed/speed.mk sim/bench/bench.mk sim/gates/gates.mk sim/ports/ports.mk
