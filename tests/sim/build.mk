# SPDX-License-Identifier: Apache-2.0
# The simulator: its parts on the host under the sanitizers, its command line, and the chip around the accelerator.

SIM_TEST := $(BUILD)/test
SIM_TEST_BUILD := $(BUILD)/sim-test
TESTS += $(patsubst %,$(SIM_TEST)/%.log,sim-check sim-elf sim-soc sim-command-line)

$(SIM_TEST_BUILD)/test_gemm_check: tests/sim/test_gemm_check.c $(SIM_CHECK) $(wildcard firmware/check/*.h firmware/check/include/fp8rt/*.h) \
    $(REGS_H) $(BUILD)/model-san/libfp8mac.a
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=c11 -O1 -g $(SIM_WARNINGS) $(SANITIZE_FLAGS) $(SIM_INCLUDES) -o $@ $(filter %.c %.a,$^)

$(SIM_TEST_BUILD)/test_elf: tests/sim/test_elf.cpp sim/elf_loader.cpp sim/ram.cpp sim/elf_loader.h sim/ram.h
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -O1 -g $(SIM_WARNINGS) $(SANITIZE_FLAGS) -Isim -o $@ $(filter %.cpp,$^)

# A complete program without runtime and C library.
$(SIM_TEST_BUILD)/soc.elf: tests/sim/soc_start.S tests/sim/soc.c firmware/link.ld \
    firmware/port/riscv/soc.h $(REGS_H)
	@mkdir -p $(@D)
	$(call say,RISCV CC,$@)
	$(Q)$(RISCV_PREFIX)gcc $(FW_RISCV_CFLAGS) -MF $@.d -nostartfiles -Tfirmware/link.ld -Wl,--fatal-warnings -o $@ \
	  $(filter %.S %.c,$^)

$(SIM_TEST)/sim-check.log: $(SIM_TEST_BUILD)/test_gemm_check tests/run_test.sh
	@tests/run_test.sh sim-check $@ $<

$(SIM_TEST)/sim-elf.log: $(SIM_TEST_BUILD)/test_elf tests/run_test.sh
	@tests/run_test.sh sim-elf $@ $< $(SIM_TEST_BUILD)/test.elf

$(SIM_TEST)/sim-soc.log: $(SIM_TEST_BUILD)/soc.elf $(SIM) tests/run_test.sh
	@tests/run_test.sh sim-soc $@ $(SIM) --quiet --power-up 7 $<

$(SIM_TEST)/sim-command-line.log: tests/sim/command_line.sh $(SIM_TEST_BUILD)/soc.elf $(SIM) tests/run_test.sh
	@tests/run_test.sh sim-command-line $@ $< $(SIM) $(SIM_TEST_BUILD)/soc.elf $(SIM_TEST_BUILD)

# Each Python test has a folder of its own.
SIM_PYTEST = $(PYTEST) $< --folder $(SIM_TEST_BUILD)/$(basename $(@F))
SIM_PYTEST_FILES := $(PYTEST_FILES) tests/sim/conftest.py

TESTS += $(SIM_TEST)/sim-timeline.log
$(SIM_TEST)/sim-timeline.log: tests/sim/test_timeline.py $(SIM_PYTEST_FILES) $(SIM) $(FW_BUILD)/riscv/gemm.elf \
    $(FW_BUILD)/riscv/digits.elf tests/run_test.sh
	@tests/run_test.sh sim-timeline $@ $(SIM_PYTEST) --sim $(SIM) --elf $(FW_BUILD)/riscv/gemm.elf --digits $(FW_BUILD)/riscv/digits.elf

TESTS += $(SIM_TEST)/sim-bus.log
$(SIM_TEST)/sim-bus.log: tests/sim/test_bus.py $(SIM_PYTEST_FILES) $(SIM) $(FW_BUILD)/riscv/gemm.elf $(BUILD)/model/fp8mac \
    tests/run_test.sh
	@tests/run_test.sh sim-bus $@ $(SIM_PYTEST) --sim $(SIM) --elf $(FW_BUILD)/riscv/gemm.elf --tool $(BUILD)/model/fp8mac

# The instructions that the core retires, and their text beside objdump's
$(SIM_TEST_BUILD)/disassemble: tests/sim/disassemble.cpp sim/disassemble.cpp sim/disassemble.h
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -O1 -g $(SIM_WARNINGS) $(SANITIZE_FLAGS) -Isim -o $@ $(filter %.cpp,$^)

$(SIM_TEST_BUILD)/disassembly.elf: tests/sim/disassembly.S
	@mkdir -p $(@D)
	$(call say,RISCV CC,$@)
	$(Q)$(RISCV_PREFIX)gcc $(FW_RISCV_ARCH) -c -o $@.o $<
	$(Q)$(RISCV_PREFIX)ld -m elf32lriscv -Ttext=0x80000000 -e 0x80000000 -o $@ $@.o

TESTS += $(SIM_TEST)/sim-disassemble.log
$(SIM_TEST)/sim-disassemble.log: tests/sim/test_disassemble.py $(SIM_PYTEST_FILES) tests/sim/objdump.py $(SIM_TEST_BUILD)/disassemble \
    $(SIM_TEST_BUILD)/disassembly.elf $(SIM_TEST_BUILD)/soc.elf tests/run_test.sh
	@tests/run_test.sh sim-disassemble $@ $(SIM_PYTEST) --disassembler $(SIM_TEST_BUILD)/disassemble \
	  --objdump $(RISCV_PREFIX)objdump --elfs $(SIM_TEST_BUILD)/disassembly.elf $(SIM_TEST_BUILD)/soc.elf

TESTS += $(SIM_TEST)/sim-instructions.log
$(SIM_TEST)/sim-instructions.log: tests/sim/test_instructions.py tests/sim/objdump.py $(SIM_PYTEST_FILES) $(SIM_RTL) \
    $(SIM_TEST_BUILD)/soc.elf tests/run_test.sh
	@tests/run_test.sh sim-instructions $@ $(SIM_PYTEST) --sim $(SIM_RTL) --elf $(SIM_TEST_BUILD)/soc.elf \
	  --objdump $(RISCV_PREFIX)objdump --objcopy $(RISCV_PREFIX)objcopy

# A debugger at the core
TESTS += $(SIM_TEST)/sim-gdb.log
$(SIM_TEST)/sim-gdb.log: tests/sim/test_gdb.py tests/sim/test_instructions.py $(SIM_PYTEST_FILES) $(SIM) \
    $(SIM_TEST_BUILD)/soc.elf tests/run_test.sh
	@tests/run_test.sh sim-gdb $@ $(SIM_PYTEST) --sim $(SIM) --elf $(SIM_TEST_BUILD)/soc.elf --gdb gdb-multiarch

# The timing model. Its seeded fault: a memory that is one cycle slower.
$(SIM_TEST_BUILD)/faulty-timed.cpp: sim/timed/model.cpp tests/sim/build.mk
	@mkdir -p $(@D)
	@sed 's/config.latency = options.latency,/config.latency = options.latency + 1,/' $< >$@
	@! cmp -s $< $@ || { echo "$@: the fault has no place"; rm $@; exit 1; }

$(SIM_TEST_BUILD)/faulty-timed.o: $(SIM_TEST_BUILD)/faulty-timed.cpp $(SIM_TIMED)
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -O2 $(SIM_INCLUDES) $(foreach m,$(SIM_BASE)-timed $(call sim_chip,$(AXI_DATA_W)),$(call sim_model_includes,$(m)/model)) \
	  -DVM_TRACE_FST=0 $(SIM_TIMED_FLAGS) -c -o $@ $<

$(SIM_TEST_BUILD)/faulty-timed: $(SIM_TEST_BUILD)/faulty-timed.o $(filter-out %/model.o,$(SIM_TIMED_OBJECTS)) $(SIM_TIMED_HOST)
	$(call say,LINK,$@)
	$(Q)$(CXX) -o $@ $(filter %.o,$^) $(SIM_TIMED_HOST) $(filter-out $(SIM_TIMED_HOST),$(filter %.a,$^)) -pthread -lm

TESTS += $(SIM_TEST)/system-timed.log
TESTS += $(SIM_TEST)/system-timed-long.log
$(SIM_TEST)/system-timed.log: SIM_TIMED_PROGRAMS := digits dscnn
$(SIM_TEST)/system-timed-long.log: SIM_TIMED_PROGRAMS := digits dscnn elementwise convolution recipes vad layers faults
$(SIM_TEST)/system-timed.log $(SIM_TEST)/system-timed-long.log: tests/sim/test_timed.py $(SIM_PYTEST_FILES) \
    $(SIM_RTL) $(SIM_TIMED) $(SIM_TEST_BUILD)/faulty-timed tests/run_test.sh \
    $(patsubst %,$(FW_BUILD)/riscv/%.elf,gemm digits dscnn elementwise convolution recipes vad layers faults)
	@tests/run_test.sh $(basename $(@F)) $@ $(SIM_PYTEST) --sim $(SIM_RTL) --timed $(SIM_TIMED) \
	  --faulty $(SIM_TEST_BUILD)/faulty-timed --elf $(FW_BUILD)/riscv/gemm.elf \
	  --elfs $(SIM_TIMED_PROGRAMS:%=$(FW_BUILD)/riscv/%.elf)

# Other arrays. A make of its own builds each simulator.
TIMED_PROGRAMS := $(patsubst %,$(FW_BUILD)/riscv/%.elf,gemm elementwise convolution digits vad)
TIMED_ARRAYS := 2x2x4-block_f13-axi64 8x2x16-block64_f19-axi256 4x4x4-exact 4x4x16-int8
timed_array_2x2x4-block_f13-axi64 := ROWS=2 COLS=2 LANES=4 ELEMENT=block FRAC_BITS=13 AXI_DATA_W=64
timed_array_8x2x16-block64_f19-axi256 := ROWS=8 COLS=2 LANES=16 ELEMENT=block64 FRAC_BITS=19 AXI_DATA_W=256
timed_array_4x4x4-exact := ROWS=4 COLS=4 LANES=4 ELEMENT=exact FRAC_BITS= AXI_DATA_W=128
timed_array_4x4x16-int8 := ROWS=4 COLS=4 LANES=16 ELEMENT=int8 FRAC_BITS= AXI_DATA_W=128
TESTS += $(SIM_TEST)/system-timed-arrays.log
$(SIM_TEST)/system-timed-arrays.log: tests/sim/test_timed_arrays.py tests/sim/test_timed.py $(SIM_PYTEST_FILES) $(SIM_RTL) $(SIM_TIMED) \
    $(TIMED_PROGRAMS) tests/run_test.sh
	+@for array in $(foreach a,$(TIMED_ARRAYS),"$(timed_array_$(a))"); do \
	  $(MAKE) --no-print-directory sim $$array TIMED=0 && $(MAKE) --no-print-directory sim $$array TIMED=1 || exit 1; \
	done
	@tests/run_test.sh system-timed-arrays $@ $(SIM_PYTEST) --build $(BUILD) --elfs $(TIMED_PROGRAMS)

# Cycles that are left out (sim/partitioned): runs with and without them are compared. Seeded faults, by what they spoil
SIM_LEFT_OUT := counters clock timer strobes
seed_counters := s/model_.catch_up(now_ - next_);//
seed_clock := s/fp8sim_chip_resume(paused_cycles_,/fp8sim_chip_resume(paused_cycles_ - 1,/
seed_timer := s/paused_most_ = cycles;/paused_most_ = cycles + 1;/
seed_strobes := s/(model_.ram_wstrb_o >> i & 1) != 0/i < sizeof beat/

$(SIM_LEFT_OUT:%=$(SIM_TEST_BUILD)/left-out-%.cpp): $(SIM_TEST_BUILD)/left-out-%.cpp: sim/partitioned/accelerator.cpp tests/sim/build.mk
	@mkdir -p $(@D)
	@sed '$(seed_$*)' $< >$@
	@! cmp -s $< $@ || { echo "$@: the fault has no place"; rm $@; exit 1; }

$(SIM_LEFT_OUT:%=$(SIM_TEST_BUILD)/left-out-%): $(SIM_TEST_BUILD)/left-out-%: $(SIM_TEST_BUILD)/left-out-%.cpp $(SIM_RTL_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CXX) -std=c++17 -O1 $(SIM_INCLUDES) $(call sim_model_includes,$(dir $(SIM_RTL))model) \
	  $(call sim_model_includes,$(call sim_chip,$(AXI_DATA_W))/model) -DFP8SIM_MODE='"faulty"' -DFP8SIM_MODEL='"partitioned/model.h"' -o $@ $< \
	  $(filter-out $(dir $(SIM_RTL))accelerator.o,$(SIM_RTL_OBJECTS)) -pthread -lm

SIM_LEFT_OUT_ELFS := $(SIM_TEST_BUILD)/soc.elf $(patsubst %,$(FW_BUILD)/riscv/%.elf,gemm digits faults selftest)
TESTS += $(SIM_TEST)/sim-left-out.log
$(SIM_TEST)/sim-left-out.log: tests/sim/test_left_out.py $(SIM_PYTEST_FILES) $(SIM_RTL) $(SIM_LEFT_OUT:%=$(SIM_TEST_BUILD)/left-out-%) \
    $(SIM_LEFT_OUT_ELFS) tests/run_test.sh
	@tests/run_test.sh sim-left-out $@ $(SIM_PYTEST) --sim $(SIM_RTL) --elfs $(SIM_LEFT_OUT_ELFS) \
	  --faulties $(SIM_LEFT_OUT:%=$(SIM_TEST_BUILD)/left-out-%)

# The waveform of a small chip, which is compiled quickly. A make that the test starts builds it.
WAVES_SIM := $(BUILD)/sim/2x2x4-block_f19-trace/fp8mac-sim
ifneq ($(SIM_BASE)-trace/fp8mac-sim,$(WAVES_SIM))
$(WAVES_SIM): $(SIM_INPUTS) $(SIM_SOURCES) $(REGS_H) $(BUILD)/model/libfp8mac.a
	+@$(MAKE) --no-print-directory $@ ROWS=2 COLS=2 LANES=4 ELEMENT=block FRAC_BITS=
endif

TESTS += $(SIM_TEST)/sim-waves.log
$(SIM_TEST)/sim-waves.log: tests/sim/test_waves.py $(SIM_PYTEST_FILES) $(wildcard sim/waves/*) $(WAVES_SIM) $(WAVES_NAMES) \
    $(FW_BUILD)/riscv/gemm.elf tests/run_test.sh
	@tests/run_test.sh sim-waves $@ $(SIM_PYTEST) --sim $(WAVES_SIM) --names $(WAVES_NAMES) --elf $(FW_BUILD)/riscv/gemm.elf

# What changes in the accelerator while it is quiet, in the waveform of the same chip
$(SIM_TEST_BUILD)/quiet: tests/sim/quiet.c
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu11 -O1 -w -DFST_CONFIG_INCLUDE='"fst_config.h"' -I$(VERILATOR_ROOT)/include \
	  -I$(VERILATOR_ROOT)/include/gtkwave -o $@ $< \
	  $(patsubst %,$(VERILATOR_ROOT)/include/gtkwave/%.c,fstapi fastlz lz4) -lz

SIM_QUIET_ELFS := $(patsubst %,$(FW_BUILD)/riscv/%.elf,gemm faults)
TESTS += $(SIM_TEST)/sim-quiet.log
$(SIM_TEST)/sim-quiet.log: tests/sim/test_quiet.py $(SIM_PYTEST_FILES) $(WAVES_SIM) $(SIM_TEST_BUILD)/quiet $(SIM_QUIET_ELFS) \
    tests/run_test.sh
	@tests/run_test.sh sim-quiet $@ $(SIM_PYTEST) --sim $(WAVES_SIM) --changes $(SIM_TEST_BUILD)/quiet --elfs $(SIM_QUIET_ELFS)
