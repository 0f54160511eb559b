# SPDX-License-Identifier: Apache-2.0
# Simulators that write the ports of the accelerator and of its parts: what a netlist of them must see (synth/energy).
# A port is one vector in the waveform, also if it is a structure.
#   make $(BUILD)/sim/ports/2_2_4_128-block_f19/fp8mac-sim    ROWS_COLS_LANES_AXIWIDTH-ELEMENT
PORTS_SETS := 2_2_4_128-block_f$(element_default_frac_bits_block) 2_2_4_128-int8 \
  4_4_16_128-block_f$(element_default_frac_bits_block) 4_4_16_128-int8
SIM_INPUTS_PORTS := sim/ports/ports.vlt $(SIM_INPUTS)
ports_parameters = $(call system_parameters,$(firstword $(subst -, ,$(1)))) \
  $(call element_parameters,$(lastword $(subst -, ,$(1))))
$(foreach set,$(PORTS_SETS),$(eval $(call SIMULATOR,$(BUILD)/sim/ports/$(set),SIM_INPUTS_PORTS,$(call ports_parameters,$(set)),-ports,,RTL)))
