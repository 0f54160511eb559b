# SPDX-License-Identifier: Apache-2.0
# Style: what `make lint` checks beside the RTL's Verilator lint (rtl/build.mk), and what `make format` applies.
#   C and C++         clang-format with .clang-format; generated data is excluded in .clang-format-ignore
#   Python            ruff with .ruff.toml: its linter and its formatter
#   shell             shellcheck, warnings and errors
#   words             the words of docs/GLOSSARY.md, and warnings about long sentences (tests/docs/plain_english.py); how
#                     much prose the pages have (tools/prose.py)
#   SystemVerilog     Verible's linter with rtl/lint/verible.rules, which says why its formatter is not used; constructs
#                     that some tools refuse (rtl/lint/portable.py)
#   comments          of C, C++ and SystemVerilog: their width (tools/comment_width.py)
#   sizes             files of at most 800 lines, functions of at most 80 (tools/sizes.py)
# The tools are Python wheels pinned in tools/requirements.txt.

VENV_BIN := $(dir $(PYTHON))
STYLE_FOLDERS := examples firmware model rtl sim synth tests tools
style_files = $(sort $(shell find $(wildcard $(STYLE_FOLDERS)) -type f \( $(1) \) -not -path '*/__pycache__/*'))
STYLE_C := $(call style_files,-name '*.c' -o -name '*.h' -o -name '*.cpp')
STYLE_SHELL := .ci/run $(call style_files,-name '*.sh')
STYLE_SV := $(call style_files,-name '*.sv' -o -name '*.svh')

.PHONY: lint-c lint-python lint-shell lint-sv lint-comments lint-sizes lint-words format
lint: lint-c lint-python lint-shell lint-sv lint-comments lint-sizes lint-words

lint-c:
	$(call say,LINT,$(words $(STYLE_C)) files of C and C++)
	$(Q)$(VENV_BIN)clang-format --dry-run --Werror --ferror-limit=20 $(STYLE_C)

lint-python:
	$(call say,LINT,Python)
	$(Q)$(VENV_BIN)ruff check --quiet --no-cache . && $(VENV_BIN)ruff format --check --quiet --no-cache .

lint-shell:
	$(call say,LINT,$(words $(STYLE_SHELL)) shell scripts)
	$(Q)$(VENV_BIN)shellcheck --severity=warning $(STYLE_SHELL)

lint-sv:
	$(call say,LINT,$(words $(STYLE_SV)) files of SystemVerilog)
	$(Q)$(VENV_BIN)verible-verilog-lint --rules_config rtl/lint/verible.rules $(STYLE_SV)
	$(Q)$(PYTHON) -B rtl/lint/portable.py --self-test && $(PYTHON) -B rtl/lint/portable.py $(STYLE_SV)

COMMENTED := $(filter-out $(shell grep -v '^\#' .clang-format-ignore),$(STYLE_C)) $(STYLE_SV)
lint-comments:
	$(call say,LINT,$(words $(COMMENTED)) files with comments)
	$(Q)$(PYTHON) -B tools/comment_width.py --self-test && $(PYTHON) -B tools/comment_width.py $(COMMENTED)

STYLE_SIZED := $(STYLE_C) $(STYLE_SV) $(STYLE_SHELL) $(call style_files,-name '*.py')
lint-sizes:
	$(call say,LINT,sizes of files and functions)
	$(Q)$(PYTHON) -B tools/sizes.py --self-test && $(PYTHON) -B tools/sizes.py $(STYLE_SIZED)

# The glossary's words; a warning for each long sentence of a page. The checker first finds seeded faults.
lint-words:
	$(call say,LINT,words and sentences)
	@mkdir -p $(BUILD)/lint
	$(Q)$(PYTHON) -B tests/docs/plain_english.py --self-test > $(BUILD)/lint/words.log && \
	  $(PYTHON) -B tests/docs/plain_english.py > $(BUILD)/lint/words.log || { cat $(BUILD)/lint/words.log; exit 1; }
	@grep '^warning: ' $(BUILD)/lint/words.log || true
	$(Q)$(PYTHON) -B tools/prose.py --self-test > $(BUILD)/lint/prose.log && \
	  $(PYTHON) -B tools/prose.py > $(BUILD)/lint/prose.log || { cat $(BUILD)/lint/prose.log; exit 1; }

format:
	$(Q)$(VENV_BIN)clang-format -i $(STYLE_C)
	$(Q)$(VENV_BIN)ruff check --quiet --no-cache --fix . ; $(VENV_BIN)ruff format --quiet --no-cache .
