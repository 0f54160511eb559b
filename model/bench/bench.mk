# SPDX-License-Identifier: Apache-2.0
# The model's speed against other libraries', on one core, in one process:
#   make bench-model      tables on stdout, $(BUILD)/bench/ISA.json and ISA.svg
#   make bench-model BENCH_ISA=avx2
#   make bench-model BENCH_ONLY=settings     GEMMs of other settings alone
#   make accept-speed     takes what they measured into speed.json and model/SPEED.md
# The other libraries are held to the same instruction set as this one.
BENCH_ISA ?= avx512 avx2
BENCH_ENV_avx512 := FP8MAC_ISA=avx512
BENCH_ENV_avx2 := FP8MAC_ISA=avx2 OPENBLAS_CORETYPE=Haswell ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 \
  NPY_DISABLE_CPU_FEATURES="AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"

# One after the other, under `make -j` too: a run measures nothing while another loads the machine.
.PHONY: bench-model
bench-model: $(BUILD)/bench-venv/done $(BUILD)/model/libfp8mac.so
	@mkdir -p $(BUILD)/bench
	@$(foreach isa,$(BENCH_ISA),OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BENCH_ENV_$(isa)) \
	  LD_LIBRARY_PATH=$(BUILD)/bench-venv/cuda-stubs $(BUILD)/bench-venv/bin/python -B model/bench/bench.py \
	  --lib $(BUILD)/model/libfp8mac.so --isa $(isa) --out $(BUILD)/bench $(BENCH_ONLY:%=--only %) &&) true

# Not one of `make accept`, because the measurement needs a machine that is otherwise idle
.PHONY: accept-speed
accept-speed: $(BUILD)/model/fp8mac
	@$(PYTHON) -B -m model.bench.speed --folder $(BUILD)/bench
	@$(PYTHON) -B -m sim.bench.pages --model $<

$(BUILD)/bench-venv/done: model/bench/requirements.txt model/bench/cuda_stubs.py
	@mkdir -p $(BUILD)
	python3 -m venv $(BUILD)/bench-venv
	$(BUILD)/bench-venv/bin/pip install --quiet --disable-pip-version-check --no-deps -r $<
	$(BUILD)/bench-venv/bin/python -B model/bench/cuda_stubs.py \
	  $(BUILD)/bench-venv/lib/python3*/site-packages/torch/lib $(BUILD)/bench-venv/cuda-stubs
	touch $@
