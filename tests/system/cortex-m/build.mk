# SPDX-License-Identifier: Apache-2.0
# The library and its driver for Cortex-M4 and Cortex-M55, linked with the port for Cortex-M, and run by QEMU.
ARM_PREFIX := arm-none-eabi-
ARM_TEST := $(BUILD)/system-cortex-m
ARM_CORES := m4 m55
ARM_BOARD_m4 := mps2-an386
ARM_BOARD_m55 := mps3-an547
ARM_CPU_m4 := -mcpu=cortex-m4
ARM_CPU_m55 := -mcpu=cortex-m55 -mfloat-abi=hard
ARM_SOURCES := $(wildcard tests/system/cortex-m/*.c firmware/src/*.c firmware/layers/*.c firmware/driver/*.c \
  firmware/port/cortex-m/*.c) \
  $(MODEL_BARE_SOURCES)
ARM_FLAGS := -mthumb --specs=picolibc.specs -ffunction-sections -fdata-sections $(FW_CFLAGS) -Ifirmware/driver \
  -Ifirmware/port/cortex-m -Imodel/src
ARM_LDFLAGS := -mthumb --specs=picolibc.specs --oslib=semihost -nostartfiles -Ttests/system/cortex-m/image.ld \
  -Wl,--gc-sections -Wl,--fatal-warnings -Wl,--no-warn-rwx-segments

# $(1): the core.
define ARM_PROGRAM
$(ARM_TEST)/$(1)/%.o: %.c tests/system/cortex-m/build.mk | $(REGS_H) $(CATALOGUE_H)
	@mkdir -p $$(@D)
	$$(call say,ARM CC,$$@)
	$$(Q)$(ARM_PREFIX)gcc $(ARM_CPU_$(1)) $(ARM_FLAGS) -c -o $$@ $$<

$(ARM_TEST)/$(1).elf: $(ARM_SOURCES:%.c=$(ARM_TEST)/$(1)/%.o) tests/system/cortex-m/image.ld
	$$(call say,ARM LD,$$@)
	$$(Q)$(ARM_PREFIX)gcc $(ARM_CPU_$(1)) $(ARM_LDFLAGS) -o $$@ $$(filter %.o,$$^)

TESTS += $(SYS_TEST)/system-cortex-$(1).log
$(SYS_TEST)/system-cortex-$(1).log: $(ARM_TEST)/$(1).elf tests/run_test.sh
	@tests/run_test.sh system-cortex-$(1) $$@ timeout 120 qemu-system-arm -M $(ARM_BOARD_$(1)) -display none \
	  -monitor none -serial none -semihosting-config enable=on,target=native -kernel $$<
endef
$(foreach core,$(ARM_CORES),$(eval $(call ARM_PROGRAM,$(core))))

# The module of Zephyr, without Zephyr.
TESTS += $(SYS_TEST)/system-zephyr.log
$(SYS_TEST)/system-zephyr.log: tests/system/zephyr.sh $(wildcard zephyr/* tests/system/zephyr/*) \
    $(wildcard firmware/port/zephyr/*) $(ARM_SOURCES) $(REGS_H) $(CATALOGUE_H) tests/run_test.sh
	@tests/run_test.sh system-zephyr $@ $< $(BUILD) $(PYTHON) \
	  $(filter-out firmware/src/app.c firmware/src/app_profile.c firmware/port/cortex-m/% tests/%,$(ARM_SOURCES))

# The port over a kernel in virtual time, on the host
TESTS += $(SYS_TEST)/firmware-zephyr.log
$(SYS_TEST)/firmware-zephyr.log: tests/system/test_zephyr_port.py $(shell find tests/system/zephyr -name '*.[ch]') \
    $(wildcard firmware/port/zephyr/*) $(REGS_H) $(CATALOGUE_H) $(PYTEST_FILES) tests/run_test.sh
	@tests/run_test.sh firmware-zephyr $@ $(PYTEST) $< --folder $(BUILD)/firmware-zephyr --build $(BUILD)

-include $(shell find $(ARM_TEST) -name '*.d' 2>/dev/null)
