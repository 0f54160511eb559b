# SPDX-License-Identifier: Apache-2.0
# What every Verilator model shares: Verilator's own code, compiled once, and the rule that builds a bench.

# Set-up knows that of `verilator`.
ifeq (command line,$(origin VERILATOR))
VERILATOR_ROOT := $(shell $(VERILATOR) --getenv VERILATOR_ROOT)
endif
VERILATED := $(addprefix $(BUILD)/verilated/,verilated.o verilated_threads.o)
VERILATED_DPI := $(BUILD)/verilated/verilated_dpi.o
VERILATED_FST := $(BUILD)/verilated/verilated_fst_c.o

$(VERILATED) $(VERILATED_DPI) $(VERILATED_FST): $(BUILD)/verilated/%.o: $(VERILATOR_ROOT)/include/%.cpp
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -O2 -w -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd -c -o $@ $<

# Builds the bench $@ from its first prerequisite, a C++ source. The rule also needs $(VERILATED). $(1): flags of C++;
# $(2): objects and libraries; $(3): Verilator's arguments.
BENCH_OPTIMISE := -O1
verilate_bench = $(Q)VERILATOR=$(VERILATOR) CXX=$(CXX) VERILATED='$(VERILATED)' OPTIMISE=$(BENCH_OPTIMISE) \
  tools/verilate.sh $@ $< '-Wall -Wextra $(1)' '$(2)' $(3) >$(@D)/build.log 2>&1 || { cat $(@D)/build.log; exit 1; }
