# SPDX-License-Identifier: Apache-2.0
# Refuses a variable on make's command line that nothing would read, before anything is built. tools/variables.txt is
# the list. A make that this project starts itself may pass on variables that its own goals do not use.
given_variables := $(foreach v,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(v)))),$(v)))
given_variables := $(filter-out -*-command-variables-*- MAKEOVERRIDES GNUMAKEFLAGS,$(given_variables))
ifneq (,$(strip $(given_variables)))
variables_error := $(shell tools/check_variables.sh tools/variables.txt '$(APPS_DIR)' '$(APP)' \
  '$(if $(FP8MAC_MAKE),0,1)' '$(or $(MAKECMDGOALS),all) $(if $(filter waves,$(MAKECMDGOALS)),run)' \
  $(given_variables))
ifneq (,$(variables_error))
$(error $(variables_error))
endif
endif
export FP8MAC_MAKE := 1
