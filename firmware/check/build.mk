# SPDX-License-Identifier: Apache-2.0
# The checker: every finished GEMM is compared, bit by bit, with the golden model. What each file is built into:
#
#   file                     chip  host  simulator
#   include/fp8rt/*.h         x     x       x       the interface: the record, the question, trials of whole GEMMs
#   check.c                   x     x               describes a finished GEMM in a record and asks the checker
#   random.c                  x     x       x       draws operands from a seed
#   trial.c                   x     x               runs a GEMM of such operands and checks it
#   reference*.c              x     x               compute layers in double precision
#   gemm_check.c                    x       x       computes the record's GEMM with the golden model and compares
#   explain.c                       x       x       says which steps along K explain a wrong output
#   element_model.c                 x       x       maps the registers ELEMENT and MODE to an fp8mac_dot_config
#
# The chip passes its record through a register to the simulator; the host build calls gemm_check.c directly. The chip
# asks for random operands in the same way, because the core would take millions of cycles for large ones.
CHECK_INCLUDES := -Ifirmware/check/include -Ifirmware/check
CHECK_ASK := $(addprefix firmware/check/,check.c random.c trial.c reference.c reference_recurrent.c reference_attention.c \
  reference_normalise.c reference_transformer.c reference_elementwise.c reference_profile.c)
CHECK_COMPARE := $(addprefix firmware/check/,gemm_check.c explain.c element_model.c)
