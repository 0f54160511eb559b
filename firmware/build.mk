# SPDX-License-Identifier: Apache-2.0
# The runtime and the applications. The same sources are built for the chip and, over the golden model, for the host.
#   make firmware      $(BUILD)/firmware/riscv/APP.elf and $(BUILD)/firmware/host/APP for every folder $(APPS_DIR)/APP
#
# An application is a folder of $(APPS_DIR). Its C and C++ sources are compiled and linked with the runtime; no
# list names them. A file of unknown kind is refused.
include firmware/check/build.mk

CATALOGUE_H := $(CATALOGUE_DIR)/fp8mac/catalogue.h

FW_APPS := $(notdir $(patsubst %/,%,$(wildcard $(APPS_DIR)/*/)))
FW_BUILD := $(BUILD)/firmware
FW_RISCV_ELFS := $(FW_APPS:%=$(FW_BUILD)/riscv/%.elf)
FW_HOST_APPS := $(FW_APPS:%=$(FW_BUILD)/host/%)

FW_FLAGS := -Wall -Wextra -Wconversion -Werror -O2 -g -MMD -MP \
  -Ifirmware/include $(CHECK_INCLUDES) -Ifirmware/src -Ifirmware/layers -Imodel/include -I$(CATALOGUE_DIR) -I$(REGS_DIR)
FW_CFLAGS := -std=c11 $(FW_FLAGS)
# C++20 has the designated initialisers of the runtime's descriptors; what they leave out is zero, as in C.
FW_CXXFLAGS := -std=c++20 -Wno-missing-field-initializers $(FW_FLAGS)

.PHONY: firmware firmware-size
firmware: $(FW_RISCV_ELFS) $(FW_HOST_APPS) firmware-size

# ---- the chip --------------------------------------------------------------------------------------------------------
FW_RISCV_ARCH := -march=rv32imc -misa-spec=2.2 -mabi=ilp32 --specs=picolibc.specs
# Functions begin at words: where they stand does not change the cycles of their fetches.
FW_RISCV_FLAGS := $(FW_RISCV_ARCH) -ffunction-sections -fdata-sections -falign-functions=4 -Ifirmware/driver -Ifirmware/port/riscv -Imodel/src
FW_RISCV_CFLAGS := $(FW_RISCV_FLAGS) $(FW_CFLAGS)
# The cross compiler has no C++ library: no headers such as <vector>, no exceptions, no run-time type information.
FW_RISCV_CXXFLAGS := $(FW_RISCV_FLAGS) $(FW_CXXFLAGS) -ffreestanding -fno-exceptions -fno-rtti \
  -fno-threadsafe-statics -fno-use-cxa-atexit
FW_RISCV_LDFLAGS := $(FW_RISCV_ARCH) -nostartfiles -Tfirmware/link.ld -Wl,--gc-sections -Wl,--fatal-warnings \
  $(if $(STACK),-Wl$(comma)--defsym=FP8RT_STACK_BYTES=$(STACK))
# A program is linked anew when STACK is another one.
FW_STACK := $(FW_BUILD)/riscv/stack
.PHONY: fw-stack
fw-stack:
$(FW_STACK): fw-stack
	@mkdir -p $(@D) && echo '$(STACK)' | cmp -s - $@ || echo '$(STACK)' >$@
# Of the model the chip has formats, conversions and recipes. Dot products are the accelerator's.
FW_RISCV_SOURCES := $(wildcard firmware/src/*.c firmware/layers/*.c firmware/driver/*.c firmware/port/riscv/*.c firmware/port/riscv/*.cpp \
  firmware/port/riscv/*.S) $(CHECK_ASK) $(MODEL_BARE_SOURCES)
FW_RISCV_OBJECTS := $(FW_RISCV_SOURCES:%=$(FW_BUILD)/riscv/obj/%.o)

$(FW_BUILD)/riscv/obj/%.c.o: %.c firmware/build.mk | $(REGS_H) $(REGS_LIST) $(CATALOGUE_H)
	@mkdir -p $(@D)
	$(call say,RISCV CC,$@)
	$(Q)$(RISCV_PREFIX)gcc $(FW_RISCV_CFLAGS) -c -o $@ $<

$(FW_BUILD)/riscv/obj/%.S.o: %.S firmware/build.mk
	@mkdir -p $(@D)
	$(call say,RISCV CC,$@)
	$(Q)$(RISCV_PREFIX)gcc $(FW_RISCV_CFLAGS) -c -o $@ $<

# ---- the host, plain and under the sanitizers ------------------------------------------------------------------------
FW_HOST_SOURCES := $(wildcard firmware/src/*.c firmware/layers/*.c firmware/port/command/*.c firmware/port/host/*.c) $(CHECK_ASK) $(CHECK_COMPARE)
FW_HOST_OBJECTS := $(FW_HOST_SOURCES:%=%.o)

$(FW_BUILD)/host/obj/%.c.o: %.c firmware/build.mk | $(REGS_H) $(REGS_LIST) $(CATALOGUE_H)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(FW_CFLAGS) -Ifirmware/port/host $(CFLAGS) -c -o $@ $<

$(FW_BUILD)/host-san/obj/%.c.o: %.c firmware/build.mk | $(REGS_H) $(REGS_LIST) $(CATALOGUE_H)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(FW_CFLAGS) -Ifirmware/port/host $(SANITIZE_FLAGS) $(CFLAGS) -c -o $@ $<

# ---- C++, one rule for each way to spell the ending ------------------------------------------------------------------
FW_CXX_ENDINGS := cpp cc cxx
# $(1): the ending.
define FW_CXX
$(FW_BUILD)/riscv/obj/%.$(1).o: %.$(1) firmware/build.mk | $(REGS_H) $(REGS_LIST) $(CATALOGUE_H)
	@mkdir -p $$(@D)
	$$(call say,RISCV CXX,$$@)
	$$(Q)$(RISCV_PREFIX)g++ $(FW_RISCV_CXXFLAGS) -c -o $$@ $$<

$(FW_BUILD)/host/obj/%.$(1).o: %.$(1) firmware/build.mk | $(REGS_H) $(REGS_LIST) $(CATALOGUE_H)
	@mkdir -p $$(@D)
	$$(call say,CXX,$$@)
	$$(Q)$(CXX) $(FW_CXXFLAGS) -Ifirmware/port/host $(CXXFLAGS) -c -o $$@ $$<

$(FW_BUILD)/host-san/obj/%.$(1).o: %.$(1) firmware/build.mk | $(REGS_H) $(REGS_LIST) $(CATALOGUE_H)
	@mkdir -p $$(@D)
	$$(call say,CXX,$$@)
	$$(Q)$(CXX) $(FW_CXXFLAGS) -Ifirmware/port/host $(SANITIZE_FLAGS) $(CXXFLAGS) -c -o $$@ $$<
endef
$(foreach ending,$(FW_CXX_ENDINGS),$(eval $(call FW_CXX,$(ending))))

# ---- applications ----------------------------------------------------------------------------------------------------
FW_SOURCE_ENDINGS := c $(FW_CXX_ENDINGS)
# Files that belong beside sources and are not compiled.
FW_OTHER_ENDINGS := h hpp hh py md txt json svg npz
# $(1): an application's folder. Its sources; the files and folders in it that are of no known kind.
fw_sources = $(sort $(wildcard $(FW_SOURCE_ENDINGS:%=$(1)/*.%)))
fw_unknown = $(filter-out $(foreach e,$(FW_SOURCE_ENDINGS) $(FW_OTHER_ENDINGS),%.$(e)) %/__pycache__,$(wildcard $(1)/*))
# The compiler that links a program: C++ if any source is C++. $(1): sources; $(2): C compiler; $(3): C++ compiler.
fw_linker = $(if $(filter-out %.c,$(1)),$(3),$(2))

# Sources that are made for an application: FW_MADE_name.
FW_MADE_vad := $(BUILD)/vad/vad_data.c
$(BUILD)/vad/vad_data.c: firmware/apps/vad/prepare.py tools/requirements.txt
	$(call say,PREPARE,$@)
	$(Q)$(PYTHON) $< $@
FW_MADE_tokens := $(BUILD)/tokens/tokens_data.c
$(BUILD)/tokens/tokens_data.c: $(addprefix firmware/apps/tokens/,prepare.py quantised.py stored.py model.py weights.npz) tools/requirements.txt
	$(call say,PREPARE,$@)
	$(Q)$(PYTHON) -B $< $@

# $(1): the application.
define FW_APP
FW_SOURCES_$(1) := $$(strip $$(call fw_sources,$(APPS_DIR)/$(1)) \
  $$(if $$(filter firmware/apps,$(APPS_DIR)),$$(FW_MADE_$(1))))

$(FW_BUILD)/riscv/$(1).elf: $$(FW_SOURCES_$(1):%=$(FW_BUILD)/riscv/obj/%.o) $(FW_RISCV_OBJECTS) firmware/link.ld $(FW_STACK) \
    | fw-kinds-$(1)
	$$(call say,RISCV LD,$$@)
	$$(Q)$(RISCV_PREFIX)gcc $(FW_RISCV_LDFLAGS) -Wl,-Map=$$(@:.elf=.map) -o $$@ $$(filter %.o,$$^) -lm

$(FW_BUILD)/host/$(1): $$(addprefix $(FW_BUILD)/host/obj/,$$(FW_SOURCES_$(1):%=%.o) $(FW_HOST_OBJECTS)) \
    $(BUILD)/model/libfp8mac.a | fw-kinds-$(1)
	$$(call say,LINK,$$@)
	$$(Q)$$(call fw_linker,$$(FW_SOURCES_$(1)),$(CC),$(CXX)) $(CFLAGS) $(LDFLAGS) -o $$@ $$^ -lm

$(FW_BUILD)/host-san/$(1): $$(addprefix $(FW_BUILD)/host-san/obj/,$$(FW_SOURCES_$(1):%=%.o) $(FW_HOST_OBJECTS)) \
    $(BUILD)/model-san/libfp8mac.a | fw-kinds-$(1)
	$$(call say,LINK,$$@)
	$$(Q)$$(call fw_linker,$$(FW_SOURCES_$(1)),$(CC),$(CXX)) $(SANITIZE_FLAGS) $(CFLAGS) $(LDFLAGS) -o $$@ $$^ -lm

.PHONY: fw-kinds-$(1)
fw-kinds-$(1):
	@$$(foreach f,$$(call fw_unknown,$(APPS_DIR)/$(1)),$$(error $$(f) is neither built nor known: an application \
	  has sources *.$$(subst $$(space), *.,$(FW_SOURCE_ENDINGS)), other files \
	  *.$$(subst $$(space), *.,$(FW_OTHER_ENDINGS)), and no folders))
	@$$(if $$(FW_SOURCES_$(1)),,$$(error $(APPS_DIR)/$(1) has no sources: an application needs \
	  *.$$(subst $$(space), or *.,$(FW_SOURCE_ENDINGS))))
endef
$(foreach app,$(FW_APPS),$(eval $(call FW_APP,$(app))))

# Bytes in RAM: code and constants, initialised data, zeroed data.
firmware-size: $(FW_RISCV_ELFS)
	@$(RISCV_PREFIX)size $^

include firmware/install.mk

-include $(shell find $(FW_BUILD) -name '*.d' 2>/dev/null)
