# SPDX-License-Identifier: Apache-2.0
# How fast the simulators are, beside the core with RAM alone. `make bench-system` reports it.

SPEED_ELF := $(BUILD)/sim/core/speed.elf
$(SPEED_ELF): $(FW_BUILD)/riscv/obj/sim/speed/speed.c.o $(FW_RISCV_OBJECTS) firmware/link.ld
	@mkdir -p $(@D)
	$(call say,RISCV LD,$@)
	$(Q)$(RISCV_PREFIX)gcc $(FW_RISCV_LDFLAGS) -o $@ $(filter %.o,$^)

SPEED_MODES := RTL=$(SIM_RTL) timed=$(SIM_TIMED)

SPEED_FROM := $(SIM_CORE) $(SPEED_ELF) $(foreach mode,$(SPEED_MODES),$(lastword $(subst =, ,$(mode))))

.PHONY: sim-speed
sim-speed: $(SPEED_FROM)
	@$(PYTHON) -B sim/speed/speed.py --core $(SIM_CORE) --elf $(SPEED_ELF) $(SPEED_MODES)
