// SPDX-License-Identifier: Apache-2.0
// The configuration: its checks, in the order of the RTL's, and what follows from it.
#include "command/functions.h"
#include "cycles/machine.h"

fp8mac_cycles_config fp8mac_cycles_default(void)
{
    return (fp8mac_cycles_config){
        .rows = 4,
        .cols = 4,
        .lanes = 16,
        .element = FP8MAC_ELEMENT_BLOCK,
        .tiles = 256,
        .axi_data_w = 128,
        .max_mn = 128,
        .queue_depth = 8,
        .buf_beats = 256,
    };
}

static bool is_power(uint32_t x, uint32_t least, uint32_t most)
{
    return x >= least && x <= most && (x & (x - 1u)) == 0;
}

static uint32_t log2_of(uint32_t power)
{
    uint32_t log2 = 0;
    while (power >> log2 > 1u) {
        log2++;
    }
    return log2;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// ---- cycles of the elements: the rules of rtl/catalogue/rules.py --------------------------------

// Cycles between the last steps of two blocks of the same accumulators, at least
static uint32_t loop_of(const fp8mac_element_info *element, uint32_t share)
{
    const uint32_t cycles = (uint32_t)(element->result_cycle - element->acc_cycle);
    const bool forwards = PASS_TILES * share < cycles + 2u;
    return cycles + (forwards ? 0 : 2u);
}

static uint32_t block_of(const fp8mac_element_info *element, uint32_t lanes)
{
    return element->block != 0 ? element->block : lanes;
}

// ---- checks -------------------------------------------------------------------------------------

typedef struct verdict {
    const char *parameter, *range;
} verdict;

static bool judge(verdict *v, bool possible, const char *parameter, const char *range)
{
    if (!possible && v->parameter == NULL) {
        *v = (verdict){parameter, range};
    }
    return v->parameter == NULL;
}

static bool width_is_possible(const fp8mac_cycles_config *config,
                              const fp8mac_element_info *element)
{
    const uint32_t share =
        fp8mac_column_share(block_of(element, config->lanes), config->lanes, config->rows);
    const uint32_t bundle = config->rows / share * config->cols, width = config->epi_width;
    return width == 0 ||
           (width <= 32u && width % config->cols == 0 && width <= bundle && bundle % width == 0);
}

static void judge_array(verdict *v, const fp8mac_cycles_config *c,
                        const fp8mac_element_info *element)
{
    judge(v, is_power(c->rows, 1, 32), "rows", "a power of two, 1 to 32");
    judge(v, is_power(c->cols, 1, 32), "cols", "a power of two, 1 to 32");
    judge(v, element != NULL && element->accelerator, "element", "a kind that commands know");
    const bool is_exact = c->element == FP8MAC_ELEMENT_EXACT;
    judge(v, is_power(c->lanes, 1, is_exact ? 16 : 32), "lanes",
          is_exact ? "a power of two, 1 to 16" : "a power of two, 1 to 32");
    judge(v, is_power(c->tiles, 8, 32768), "tiles", "a power of two, 8 to 32768");
}

static void judge_memories(verdict *v, const fp8mac_cycles_config *c,
                           const fp8mac_element_info *element)
{
    judge(v, is_power(c->axi_data_w, 64, 256), "axi_data_w", "64, 128 or 256");
    judge(v, c->queue_depth >= 1 && c->queue_depth <= 127, "queue_depth", "1 to 127");
    judge(v, c->memory <= FP8MAC_CYCLES_IDEAL, "memory", "chip or ideal");
    judge(v, c->latency <= 10000, "latency", "0 to 10000");
    const bool chip = c->memory == FP8MAC_CYCLES_CHIP;
    judge(v, c->stall_permille <= (chip ? 900 : 0), "stall_permille",
          chip ? "0 to 900" : "0 with an ideal memory");
    judge(v, c->stall_permille == 0 || c->stall_state != 0, "stall_state", "above 0");
    judge(v, c->image_turn < c->rows, "image_turn", "0 to rows - 1");
    judge(v, !c->requantise || c->element == FP8MAC_ELEMENT_INT8, "requantise",
          "0 with another element than int8");
    if (v->parameter != NULL) {
        return;
    }
    judge(v, width_is_possible(c, element), "epi_width",
          "a multiple of cols, to 32, that divides the results of a bundle");
    const uint32_t beat = c->axi_data_w / 8, block = larger(block_of(element, c->lanes), 32);
    judge(v, is_power(c->buf_beats, 2 * larger(block, beat) / beat, 32768), "buf_beats",
          "a power of two, to 32768, that holds two granules");
    judge(v, c->max_mn >= larger(c->rows, c->cols) && c->max_mn <= 256 * least(c->rows, c->cols),
          "max_mn", "the larger of rows and cols, to 256 times the smaller one");
}

fp8mac_status fp8mac_cycles_check(const fp8mac_cycles_config *config, const char **parameter,
                                  const char **range)
{
    if (config == NULL || parameter == NULL || range == NULL) {
        return FP8MAC_ERR_NULL;
    }
    verdict v = {NULL, NULL};
    const fp8mac_element_info *element = fp8mac_element_find(config->element);
    judge_array(&v, config, element);
    judge_memories(&v, config, element);
    *parameter = v.parameter;
    *range = v.range;
    return v.parameter == NULL ? FP8MAC_OK : FP8MAC_ERR_CONFIG;
}

// ---- what follows -------------------------------------------------------------------------------

// Bits of a tile's rows or columns: the walker forms a product in as many cycles, and one more.
static uint32_t product_cycles_of(uint32_t max_mn)
{
    return log2_of(max_mn) + 2u;
}

static void derive_array(parameters *p, uint32_t width)
{
    p->block = block_of(p->element, p->lanes);
    p->bound_block = larger(p->block, 32u);
    p->granule = larger(p->bound_block, p->beat);
    p->share = fp8mac_column_share(p->block, p->lanes, p->rows);
    p->loop = loop_of(p->element, p->share);
    p->array_cycles = p->element->latency;
    p->keep_cycles = p->array_cycles + p->share;
    p->bundle = p->rows / p->share;
    const uint32_t results = p->bundle * p->cols;
    p->transfer_rows = (width != 0 ? width : fp8mac_epilogue_width(results, p->cols)) / p->cols;
    const uint32_t word = larger(p->beat, p->cols * 4u);
    p->row_bytes = larger(8u * p->beat, PASS_TILES * word);
}

static fp8mac_caps caps_of(const fp8mac_cycles_config *config, const parameters *p)
{
    const fp8mac_element_info *element = p->element;
    fp8mac_caps caps = {
        .rows = (uint16_t)p->rows,
        .cols = (uint16_t)p->cols,
        .lanes = (uint16_t)p->lanes,
        .beat_bytes = (uint16_t)p->beat,
        .block = (uint16_t)p->block,
        .pass_tiles = PASS_TILES,
        .acc_tiles = (uint16_t)p->tiles,
        .queue_depth = (uint16_t)p->queue_depth,
        .records = 8,
        .buf_beats = (uint16_t)p->buf_beats,
        .max_mn = (uint16_t)p->max_mn,
        .element = {.kind = element->kind,
                    .accumulators = (uint8_t)element->accumulators,
                    .e5m2 = (element->formats >> FP8MAC_E5M2 & 1u) != 0,
                    .narrow = element->narrow,
                    .int8 = (element->formats >> FP8MAC_INT8 & 1u) != 0,
                    .terms_log2 = element->terms_log2},
    };
    caps.functions = fp8mac_functions_possible(&caps, config->requantise);
    return caps;
}

fp8mac_status fp8mac_cycles_parameters_of(const fp8mac_cycles_config *config, parameters *p)
{
    const char *parameter, *range;
    const fp8mac_status status = fp8mac_cycles_check(config, &parameter, &range);
    if (status != FP8MAC_OK) {
        return status;
    }
    *p = (parameters){
        .rows = config->rows,
        .cols = config->cols,
        .lanes = config->lanes,
        .beat = config->axi_data_w / 8u,
        .tiles = config->tiles,
        .max_mn = config->max_mn,
        .queue_depth = config->queue_depth,
        .buf_beats = config->buf_beats,
        .rows_log2 = log2_of(config->rows),
        .cols_log2 = log2_of(config->cols),
        .lanes_log2 = log2_of(config->lanes),
        .beat_log2 = log2_of(config->axi_data_w / 8u),
        .product_cycles = product_cycles_of(config->max_mn),
        .chip_memory = config->memory == FP8MAC_CYCLES_CHIP,
        .latency = config->latency,
        .stall_permille = config->stall_permille,
        .stall_state = config->stall_state,
        .odd = config->odd,
        .image_turn = config->image_turn,
        .requantise = config->requantise,
        .epilogue_cycles = config->requantise ? REQUANTISE_CYCLES : EPILOGUE_CYCLES,
        .element = fp8mac_element_find(config->element),
    };
    derive_array(p, config->epi_width);
    p->caps = caps_of(config, p);
    p->quads = fp8mac_depthwise_quads(&p->caps);
    p->short_beats = (80u + p->beat - 1u) / p->beat;
    p->all_beats = (144u + p->beat - 1u) / p->beat;
    return FP8MAC_OK;
}
