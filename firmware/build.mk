# SPDX-License-Identifier: Apache-2.0
# The runtime and the applications, from the same sources: for the chip and, over the golden model, for the host.
#   make firmware      $(BUILD)/firmware/riscv/APP.elf and $(BUILD)/firmware/host/APP for every folder firmware/apps/APP
# A new application is a new folder there: its *.c are compiled and linked with the runtime, nothing is listed anywhere.

FW_APPS := $(notdir $(patsubst %/,%,$(wildcard firmware/apps/*/)))
FW_BUILD := $(BUILD)/firmware
FW_RISCV_ELFS := $(FW_APPS:%=$(FW_BUILD)/riscv/%.elf)
FW_HOST_APPS := $(FW_APPS:%=$(FW_BUILD)/host/%)

FW_CFLAGS := -std=c11 -Wall -Wextra -Wconversion -Werror -O2 -g -MMD -MP \
  -Ifirmware/include -Ifirmware/src -Ifirmware/port -Imodel/include -I$(REGS_DIR)

.PHONY: firmware firmware-size
firmware: $(FW_RISCV_ELFS) $(FW_HOST_APPS) firmware-size

# ---- the chip --------------------------------------------------------------------------------------------------------
FW_RISCV_ARCH := -march=rv32imc -misa-spec=2.2 -mabi=ilp32 --specs=picolibc.specs -DPICOLIBC_INTEGER_PRINTF_SCANF
FW_RISCV_CFLAGS := $(FW_RISCV_ARCH) $(FW_CFLAGS) -ffunction-sections -fdata-sections -Ifirmware/port/riscv
FW_RISCV_LDFLAGS := $(FW_RISCV_ARCH) -nostartfiles -Tfirmware/link.ld -Wl,--gc-sections -Wl,--fatal-warnings
# Of the model the chip gets formats, conversions and recipes: dot products are the accelerator's.
FW_RISCV_SOURCES := $(wildcard firmware/src/*.c firmware/port/riscv/*.c firmware/port/riscv/*.S) \
  $(addprefix model/src/,format.c convert.c fp32.c status.c recipe.c)
FW_RISCV_OBJECTS := $(patsubst %,$(FW_BUILD)/riscv/obj/%.o,$(basename $(FW_RISCV_SOURCES)))

$(FW_BUILD)/riscv/obj/%.o: %.c firmware/build.mk | $(REGS_H)
	@mkdir -p $(@D)
	$(call say,RISCV CC,$@)
	$(Q)$(RISCV_PREFIX)gcc $(FW_RISCV_CFLAGS) -c -o $@ $<

$(FW_BUILD)/riscv/obj/%.o: %.S firmware/build.mk
	@mkdir -p $(@D)
	$(call say,RISCV CC,$@)
	$(Q)$(RISCV_PREFIX)gcc $(FW_RISCV_CFLAGS) -c -o $@ $<

# ---- the host, plain and under the sanitizers ------------------------------------------------------------------------
FW_HOST_CFLAGS := $(FW_CFLAGS) -Ifirmware/port/host -Isim
FW_HOST_SOURCES := $(wildcard firmware/src/*.c firmware/port/host/*.c) \
  $(addprefix sim/,gemm_check.c element_model.c)
FW_HOST_OBJECTS := $(FW_HOST_SOURCES:%.c=%.o)

$(FW_BUILD)/host/obj/%.o: %.c firmware/build.mk | $(REGS_H)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(FW_HOST_CFLAGS) $(CFLAGS) -c -o $@ $<

$(FW_BUILD)/host-san/obj/%.o: %.c firmware/build.mk | $(REGS_H)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(FW_HOST_CFLAGS) $(SANITIZE_FLAGS) $(CFLAGS) -c -o $@ $<

# ---- applications ----------------------------------------------------------------------------------------------------
# $(1): the application.
define FW_APP
FW_OBJECTS_$(1) := $$(patsubst %.c,%.o,$$(wildcard firmware/apps/$(1)/*.c))

$(FW_BUILD)/riscv/$(1).elf: $$(FW_OBJECTS_$(1):%=$(FW_BUILD)/riscv/obj/%) $(FW_RISCV_OBJECTS) firmware/link.ld
	$$(call say,RISCV LD,$$@)
	$$(Q)$(RISCV_PREFIX)gcc $(FW_RISCV_LDFLAGS) -Wl,-Map=$$(@:.elf=.map) -o $$@ $$(filter %.o,$$^)

$(FW_BUILD)/host/$(1): $$(addprefix $(FW_BUILD)/host/obj/,$$(FW_OBJECTS_$(1)) $(FW_HOST_OBJECTS)) \
    $(BUILD)/model/libfp8mac.a
	$$(call say,LINK,$$@)
	$$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $$@ $$^

$(FW_BUILD)/host-san/$(1): $$(addprefix $(FW_BUILD)/host-san/obj/,$$(FW_OBJECTS_$(1)) $(FW_HOST_OBJECTS)) \
    $(BUILD)/model-san/libfp8mac.a
	$$(call say,LINK,$$@)
	$$(Q)$(CC) $(SANITIZE_FLAGS) $(CFLAGS) $(LDFLAGS) -o $$@ $$^
endef
$(foreach app,$(FW_APPS),$(eval $(call FW_APP,$(app))))

# Bytes in RAM: code and constants, initialised data, zeroed data.
firmware-size: $(FW_RISCV_ELFS)
	@$(RISCV_PREFIX)size $^

-include $(shell find $(FW_BUILD) -name '*.d' 2>/dev/null)
