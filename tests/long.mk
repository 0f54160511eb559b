# SPDX-License-Identifier: Apache-2.0
# Tests that only `make test-long` runs, because `make test` runs the same code with other parameters. This file is
# included last and moves them from TESTS to TESTS_LONG.

# `make test` keeps an array of every family and feed.
LONG := $(addprefix rtl_array_,8_2_8_5_block_f13 2_3_32_6_block_f19 3_4_1_4_block_f9 8_8_4_5_exact 4_4_1_6_exact \
  2_4_16_7_exact 2_3_16_4_aligned_fp32_f29 3_2_1_5_aligned_fp32_f23 2_3_4_8_aligned_fp16_f13 2_3_8_4_late_fp32_f13 \
  2_3_1_5_late_fp32 2_3_8_5_static_f25 2_1_16_4_kulisch 2_3_16_5_int8 3_2_1_4_late_fp16 5_3_2_6_aligned_fp16_f10 \
  3_2_4_8_late_fp32_f25 2_3_1_5_late 2_3_8_4_late_f13 2_3_8_4_aligned_f23)
LONG += $(addprefix rtl_accel_,8_8_4_128_exact 4_2_8_128_late_fp16_f13 4_4_4_128_aligned_fp32_f25 4_4_1_64_exact \
  4_4_16_256_block_f19 2_1_4_64_late_fp16_f13 2_4_4_64_aligned_f25)
# `make test` keeps every pair of codes, every kind, and one element of many lanes. Elements without NaN, Inf or some
# formats are for the area study.
LONG += $(addprefix rtl_,aligned_fp32_f25_l4_all aligned_fp32_f25_l16_all aligned_fp16_f10_l4_all \
  aligned_fp32_f23_l4_all aligned_fp32_f29_l4_all aligned_fp32_f25_l4_all_encoded \
  aligned_fp16_f13_l4_narrow_encoded aligned_fp16_f13_l4_nonan aligned_fp16_f13_l4_ocp aligned_fp16_f13_l4_e4m3fn_encoded \
  aligned_fp32_f25_l4_narrow_encoded late_fp16_f13_l4_noinf late_fp32_f25_l16_all late_fp16_f13_l16_all late_fp16_f13_l32_all \
  aligned_f25_l1_all aligned_f25_l16_all aligned_f29_l4_noinf late_f25_l16_all late_f9_l4_nonan late_f29_l32_all \
  late_fp32_f13_l4_all late_fp32_f10_l16_all late_fp16_f9_l4_all static_f13_l1_b1 static_f13_l4 static_f25_l16 \
  static_f13_l32 static_f25_l4 static_f25_l4_noinf kulisch_l4 kulisch_l16 int8_l1_b1 int8_l4 int8_l16 int8_l32_tree)
# `make test` keeps a chip of another element than the default. The host build runs every kind that a chip can have.
LONG += $(addprefix system-2x2x4-kulisch-axi256-,selftest faults digits bytes)
LONG_LOGS := $(LONG:%=$(BUILD)/test/%.log)
ifneq (,$(filter-out $(TESTS),$(LONG_LOGS)))
$(error tests/long.mk names tests that do not exist: $(notdir $(filter-out $(TESTS),$(LONG_LOGS))))
endif
TESTS := $(filter-out $(LONG_LOGS),$(TESTS))
TESTS_LONG += $(LONG_LOGS)
