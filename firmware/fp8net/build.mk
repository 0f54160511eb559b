# SPDX-License-Identifier: Apache-2.0
# The tool fp8net, run from its sources.
#   make fp8net        $(BUILD)/fp8net/fp8net, a script that runs it with the environment of the build
FP8NET_SOURCES := $(wildcard firmware/fp8net/fp8net/*.py firmware/fp8net/fp8net/*/*.py)
FP8NET_PATH := $(abspath $(BUILD)/examples/package):$(abspath firmware/fp8net)
FP8NET := $(BUILD)/fp8net/fp8net

.PHONY: fp8net
fp8net: $(FP8NET)
$(FP8NET): firmware/fp8net/build.mk $(BUILD)/examples/package/installed | $(SETUP_ENV)
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' 'PYTHONPATH=$(FP8NET_PATH) exec $(abspath $(PYTHON)) -B -m fp8net "$$@"' >$@
	@chmod +x $@
