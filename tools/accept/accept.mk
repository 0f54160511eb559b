# SPDX-License-Identifier: Apache-2.0
# Recorded expectations (tools/accept/expectations.py): `make accept-KIND` measures those of a kind again and accepts what moved,
# `make accept` those of all kinds. A fragment that adds a kind appends its name to ACCEPT_KINDS and has a goal accept-KIND.
REASON :=
ACCEPT_REASON = $(if $(REASON),--reason $(call quote,$(REASON)))
.PHONY: accept
accept:
	+@for kind in $(ACCEPT_KINDS); do echo "make accept-$$kind"; $(MAKE) --no-print-directory accept-$$kind || exit 1; done
