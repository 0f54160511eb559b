# SPDX-License-Identifier: Apache-2.0
# The library for applications outside this project.
#   make install-firmware DESTDIR= PREFIX=     headers, libraries for host and chip, linker script, pkg-config files, the
#                                              simulator, and the sources for other cores
#
#   include/fp8rt/*.h           the library's interface        include/fp8rt/host/    the host's private header
#   include/fp8mac/*.h          the model's                    include/fp8rt/driver/  the chip's
#   lib/libfp8rt.a              over the golden model          lib/fp8rt-riscv/       the chip's library, link.ld
#   lib/pkgconfig/fp8rt.pc, fp8rt-riscv.pc                     lib/cmake/fp8rt/       find_package(fp8rt)
#   bin/fp8mac-sim              the simulated chip             share/fp8rt/           sources, as in the project, with
#                                                              the ports for Cortex-M and Zephyr and Zephyr's module
FW_LIB_HOST := $(FW_BUILD)/host/libfp8rt.a
FW_LIB_RISCV := $(FW_BUILD)/riscv/libfp8rt.a
FW_PUBLIC_HEADERS := $(wildcard firmware/include/fp8rt/*.h firmware/check/include/fp8rt/*.h)
FW_STAGE = $(DESTDIR)$(PREFIX)
FW_SHARE = $(FW_STAGE)/share/fp8rt
FW_SHARED := $(filter-out %/app.c %/app_profile.c,$(wildcard firmware/src/*.c)) $(wildcard firmware/src/*.h \
  firmware/include/fp8rt/*.h firmware/layers/*.[ch] firmware/driver/*.[ch] firmware/port/cortex-m/* firmware/port/zephyr/* \
  model/include/fp8mac/*.h model/src/*/*.h) $(MODEL_BARE_SOURCES) $(shell find zephyr -type f)

$(FW_LIB_HOST): $(addprefix $(FW_BUILD)/host/obj/,$(FW_HOST_OBJECTS))
	$(Q)rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) qcs $@ $^

$(FW_LIB_RISCV): $(FW_RISCV_OBJECTS)
	$(Q)rm -f $@
	$(call say,AR,$@)
	$(Q)$(RISCV_PREFIX)ar qcs $@ $^

.PHONY: install-firmware
install-firmware: $(FW_LIB_HOST) $(FW_LIB_RISCV) install-model
	install -d $(FW_STAGE)/bin $(FW_STAGE)/include/fp8rt/host $(FW_STAGE)/include/fp8rt/driver $(FW_STAGE)/lib/fp8rt-riscv $(FW_STAGE)/lib/cmake/fp8rt
	install -m 644 $(FW_PUBLIC_HEADERS) $(FW_STAGE)/include/fp8rt
	install -m 644 $(REGS_H) $(FW_STAGE)/include
	install -m 644 firmware/port/host/fp8rt_device_state.h $(FW_STAGE)/include/fp8rt/host
	install -m 644 firmware/driver/fp8rt_device_state.h $(FW_STAGE)/include/fp8rt/driver
	install -m 644 $(FW_LIB_HOST) $(FW_STAGE)/lib
	install -m 644 $(FW_LIB_RISCV) firmware/link.ld $(FW_STAGE)/lib/fp8rt-riscv
	install -m 755 $(SIM) $(FW_STAGE)/bin/fp8mac-sim
	for file in $(FW_SHARED); do install -D -m 644 $$file $(FW_SHARE)/$$file || exit 1; done
	install -D -m 644 $(REGS_H) $(FW_SHARE)/build/regs/$(notdir $(REGS_H))
	install -D -m 644 $(CATALOGUE_H) $(FW_SHARE)/build/catalogue/fp8mac/catalogue.h
	sed -e 's|@VERSION@|$(VERSION)|' -e 's|@ARCH@|$(FW_RISCV_ARCH)|' firmware/fp8rtConfig.cmake.in >$(FW_STAGE)/lib/cmake/fp8rt/fp8rtConfig.cmake
	for pc in fp8rt fp8rt-riscv; do sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
	  -e 's|@ARCH@|$(FW_RISCV_ARCH)|' firmware/$$pc.pc.in >$(FW_STAGE)/lib/pkgconfig/$$pc.pc; done
