// SPDX-License-Identifier: Apache-2.0
#include "command_words.h"

#include "fp8mac/rows.h"
#include "fp8rt/elementwise.h"
#include "fp8rt/registers.h"

#define WORD_OF(name) ((offsetof(fp8mac_regs_t, name) - offsetof(fp8mac_regs_t, A_ADDR)) / 4)
// Behind them come the words of the extension.
#define EXTENSION_OF(name)                                                                         \
    (FP8RT_WORDS_SHORT + (offsetof(fp8mac_regs_t, name) - offsetof(fp8mac_regs_t, OPERATION)) / 4)
#define WORD(name) words[WORD_OF(name)]
#define EXTENSION(name) words[EXTENSION_OF(name)]

_Static_assert(WORD_OF(MODE) == FP8RT_WORD_MODE && WORD_OF(SUBMIT) == FP8RT_WORD_SUBMIT,
               "the command registers follow each other");
_Static_assert(EXTENSION_OF(TABLE_ADDR) == FP8RT_WORDS_MOST - 1,
               "the registers of the extension follow each other");
_Static_assert(EXTENSION_OF(CONV_PAD) - EXTENSION_OF(CONV_LINE) == 5,
               "the registers of an image follow each other");

// The registers of operand SIDE, A or B. SCALE_EXP is shared by both.
#define PUT_OPERAND(SIDE, operand)                                                                 \
    do {                                                                                           \
        WORD(SIDE##_ADDR) = (uint32_t)(operand).address;                                           \
        WORD(SIDE##_STRIDE) = (operand).stride;                                                    \
        WORD(SCALE_##SIDE) = (uint32_t)(operand).scale;                                            \
    } while (0)
#define EXTEND_OPERAND(SIDE, operand)                                                              \
    do {                                                                                           \
        EXTENSION(MX_##SIDE##_ADDR) = (uint32_t)(operand).mx;                                      \
        EXTENSION(MX_##SIDE##_STRIDE) = (operand).mx_stride;                                       \
    } while (0)
#define GET_OPERAND(SIDE, operand)                                                                 \
    do {                                                                                           \
        (operand).address = WORD(SIDE##_ADDR);                                                     \
        (operand).stride = WORD(SIDE##_STRIDE);                                                    \
        (operand).scale = WORD(SCALE_##SIDE);                                                      \
    } while (0)
#define GET_EXTENSION(SIDE, operand)                                                               \
    do {                                                                                           \
        (operand).mx = EXTENSION(MX_##SIDE##_ADDR);                                                \
        (operand).mx_stride = EXTENSION(MX_##SIDE##_STRIDE);                                       \
    } while (0)

static bool has(uint32_t mode, uint32_t bit)
{
    return (mode & bit) != 0;
}

static void extend(uint32_t *words, const fp8rt_command *command)
{
    EXTENSION(OPERATION) = command->operation;
    EXTENSION(C_ADDR) = (uint32_t)command->c;
    EXTENSION(C_STRIDE) = command->c_stride;
    EXTENSION(BETA) = command->beta;
    EXTENSION(SEED) = command->seed;
    for (unsigned i = 0; i < 6; i++) {
        words[EXTENSION_OF(CONV_LINE) + i] = command->conv[i];
    }
    EXTEND_OPERAND(A, command->a);
    EXTEND_OPERAND(B, command->b);
    EXTENSION(TABLE_ADDR) = (uint32_t)command->table;
}

unsigned fp8rt_words_of_command(const fp8rt_command *command, uint32_t words[FP8RT_WORDS_MOST])
{
    PUT_OPERAND(A, command->a);
    PUT_OPERAND(B, command->b);
    WORD(D_ADDR) = (uint32_t)command->d;
    WORD(D_STRIDE) = command->d_stride;
    WORD(M) = command->m;
    WORD(N) = command->n;
    WORD(K) = command->k;
    WORD(TILE) = FP8RT_PUT(TILE__M, command->tile_m) | FP8RT_PUT(TILE__N, command->tile_n);
    WORD(TILE_K) =
        FP8RT_PUT(TILE_K__K, command->tile_k) | FP8RT_PUT(TILE_K__FIRST, command->first_k);
    WORD(MODE) = command->mode;
    WORD(SCALE_EXP) = FP8RT_PUT(SCALE_EXP__SA, command->a.scale_exp) |
                      FP8RT_PUT(SCALE_EXP__SB, command->b.scale_exp);
    WORD(BIAS) = (uint32_t)command->bias;
    WORD(SCALE_D) = command->scale_d;
    WORD(CLAMP_LO) = command->clamp_lo;
    WORD(CLAMP_HI) = command->clamp_hi;
    WORD(SUBMIT) = FP8RT_PUT(SUBMIT__TAG, command->tag);
    if (has(command->mode, FP8RT_BIT(MODE__EXTENDED))) {
        extend(words, command);
    }
    return fp8rt_words_count(words);
}

unsigned fp8rt_words_count(const uint32_t *words)
{
    return has(WORD(MODE), FP8RT_BIT(MODE__EXTENDED)) ? FP8RT_WORDS_MOST : FP8RT_WORDS_SHORT;
}

static void read_extension(const uint32_t *words, fp8rt_command *command)
{
    command->operation = EXTENSION(OPERATION);
    command->c = EXTENSION(C_ADDR);
    command->c_stride = EXTENSION(C_STRIDE);
    command->beta = EXTENSION(BETA);
    command->seed = EXTENSION(SEED);
    for (unsigned i = 0; i < 6; i++) {
        command->conv[i] = words[EXTENSION_OF(CONV_LINE) + i];
    }
    GET_EXTENSION(A, command->a);
    GET_EXTENSION(B, command->b);
    command->table = EXTENSION(TABLE_ADDR);
}

fp8rt_command fp8rt_command_of_words(const uint32_t *words)
{
    fp8rt_command command = {
        .d = WORD(D_ADDR),
        .d_stride = WORD(D_STRIDE),
        .m = WORD(M),
        .n = WORD(N),
        .k = WORD(K),
        .tile_m = (uint16_t)FP8RT_GET(TILE__M, WORD(TILE)),
        .tile_n = (uint16_t)FP8RT_GET(TILE__N, WORD(TILE)),
        .tile_k = (uint16_t)FP8RT_GET(TILE_K__K, WORD(TILE_K)),
        .first_k = (uint16_t)FP8RT_GET(TILE_K__FIRST, WORD(TILE_K)),
        .tag = (uint16_t)FP8RT_GET(SUBMIT__TAG, WORD(SUBMIT)),
        .mode = WORD(MODE),
        .bias = WORD(BIAS),
        .scale_d = WORD(SCALE_D),
        .clamp_lo = WORD(CLAMP_LO),
        .clamp_hi = WORD(CLAMP_HI),
    };
    GET_OPERAND(A, command.a);
    GET_OPERAND(B, command.b);
    command.a.scale_exp = (int8_t)FP8RT_GET(SCALE_EXP__SA, WORD(SCALE_EXP));
    command.b.scale_exp = (int8_t)FP8RT_GET(SCALE_EXP__SB, WORD(SCALE_EXP));
    if (has(command.mode, FP8RT_BIT(MODE__EXTENDED))) {
        read_extension(words, &command);
    }
    return command;
}

bool fp8rt_operation_writes_scales(uint32_t operation)
{
    return FP8RT_GET(OPERATION__OP, operation) == FP8RT_OPERATION_ROWS &&
           FP8RT_GET(OPERATION__ROW_OP, operation) == FP8MAC_ROWS_QUANTISE_MX;
}

// ---- addresses ----------------------------------------------------------------------------------

unsigned fp8rt_command_addresses(fp8rt_command *command, fp8rt_address list[FP8RT_ADDRESSES_MOST])
{
    const uint32_t mode = command->mode;
    const uint32_t operation = has(mode, FP8RT_BIT(MODE__EXTENDED)) ? command->operation : 0;
    const bool gemm = FP8RT_GET(OPERATION__OP, operation) == 0;
    const bool mx = gemm && has(operation, FP8RT_BIT(OPERATION__MX));
    const bool rows_mx = fp8rt_operation_writes_scales(operation);
    const struct {
        bool used;
        uintptr_t *at;
        uint32_t word;
    } all[FP8RT_ADDRESSES_MOST] = {
        {!has(mode, FP8RT_BIT(MODE__REUSE_A)), &command->a.address, WORD_OF(A_ADDR)},
        {gemm, &command->b.address, WORD_OF(B_ADDR)},
        {!has(mode, FP8RT_BIT(MODE__ACC_KEEP)), &command->d, WORD_OF(D_ADDR)},
        {has(mode, FP8RT_BIT(MODE__SCALE_A_VEC)), &command->a.scale, WORD_OF(SCALE_A)},
        {has(mode, FP8RT_BIT(MODE__SCALE_B_VEC)), &command->b.scale, WORD_OF(SCALE_B)},
        {has(mode, FP8RT_BIT(MODE__BIAS_EN)), &command->bias, WORD_OF(BIAS)},
        {has(operation, FP8RT_BIT(OPERATION__C_EN)), &command->c, EXTENSION_OF(C_ADDR)},
        {mx || rows_mx, &command->a.mx, EXTENSION_OF(MX_A_ADDR)},
        {mx, &command->b.mx, EXTENSION_OF(MX_B_ADDR)},
        {has(operation, FP8RT_BIT(OPERATION__LOAD_TABLE)), &command->table,
         EXTENSION_OF(TABLE_ADDR)},
    };
    unsigned count = 0;
    for (unsigned i = 0; i < FP8RT_ADDRESSES_MOST; i++) {
        if (all[i].used) {
            list[count++] = (fp8rt_address){all[i].at, all[i].word};
        }
    }
    return count;
}
