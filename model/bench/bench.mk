# SPDX-License-Identifier: Apache-2.0
# The model's speed against other libraries', on one core, in one process:
#   make bench            table on stdout, $(BUILD)/bench/model.json and model.svg
.PHONY: bench
bench: $(BUILD)/bench-venv/done $(BUILD)/model/libfp8mac.so
	@mkdir -p $(BUILD)/bench
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BUILD)/bench-venv/bin/python -B model/bench/bench.py \
	  --lib $(BUILD)/model/libfp8mac.so --out $(BUILD)/bench

$(BUILD)/bench-venv/done: model/bench/requirements.txt
	@mkdir -p $(BUILD)
	python3 -m venv $(BUILD)/bench-venv
	$(BUILD)/bench-venv/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@
