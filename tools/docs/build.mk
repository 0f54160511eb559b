# SPDX-License-Identifier: Apache-2.0
# The HTML documentation. This fragment is the last, because the others name their pages of results in DOCS_RESULTS;
# tools/docs/build_docs.py says how a generator of results takes part.
#   make docs      $(BUILD)/docs/index.html

DOCS_DIR := $(BUILD)/docs
BUILD_DOCS = $(PYTHON) -B tools/docs/build_docs.py $(RDL_OPTIONS) $(RDL)

.PHONY: docs docs-sources
docs: $(DOCS_RESULTS) $(CATALOGUE_RDL)
	$(call say,DOCS,$(DOCS_DIR)/index.html)
	$(Q)$(BUILD_DOCS) --sources $(dir $(DOCS_RESULTS_DIR)) --out $(DOCS_DIR) $(addprefix --result ,$(DOCS_RESULTS))

# What Sphinx reads, without pages of results: the tests look at it.
docs-sources: $(CATALOGUE_RDL)
	$(Q)$(BUILD_DOCS) --sources $(BUILD)/docs-check
