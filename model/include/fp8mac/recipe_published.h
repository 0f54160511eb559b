// SPDX-License-Identifier: Apache-2.0
// Published scaling recipes, by their published names. recipe.h holds the functions that they share
// and Transformer Engine's delayed scaling.
//
// A quantising scale multiplies a value on its way into FP8. A dequantising scale multiplies on the
// way back; a GEMM takes it as an operand's scale. Each formula says which of the two it gives.
// Each operation is one FP32 nearest-even operation, unless the formula says otherwise. The sign of
// an amax is ignored. The caller passes Inf for an amax observed together with amax_nonfinite.
// floor(log2 x) is taken from the exponent field of x. The functions call no libm and allocate
// nothing, so they give the same bits with and without floating-point hardware.
#ifndef FP8MAC_RECIPE_PUBLISHED_H
#define FP8MAC_RECIPE_PUBLISHED_H

#include "fp8mac/convert.h"
#include "fp8mac/recipe.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Transformer Engine: which GEMM of a layer is in which format -------------------------------
// NVIDIA/TransformerEngine, transformer_engine/common/recipe: Format,
// DelayedScaling.override_linear_precision.

typedef enum fp8mac_recipe_te_format {
    FP8MAC_TE_HYBRID = 0, // E4M3 forward, E5M2 for gradients
    FP8MAC_TE_E4M3 = 1,
    FP8MAC_TE_E5M2 = 2,
} fp8mac_recipe_te_format;

typedef enum fp8mac_recipe_te_gemm {
    FP8MAC_TE_FPROP = 0, // activations x weights
    FP8MAC_TE_DGRAD = 1, // output gradients x weights
    FP8MAC_TE_WGRAD = 2, // output gradients x activations
} fp8mac_recipe_te_gemm;

// One layer's precision. All zero is HYBRID with every GEMM in FP8.
typedef struct fp8mac_recipe_te_layer {
    fp8mac_recipe_te_format format;
    // Indexed by fp8mac_recipe_te_gemm. true: this GEMM is not in FP8 (override_linear_precision)
    bool high_precision[3];
} fp8mac_recipe_te_layer;

// The format of a GEMM's gradient operand (`is_gradient`) or of its other operand. NULL if that
// GEMM is not in FP8, if an enumerator is unknown, or if `layer` is NULL.
const fp8mac_format *fp8mac_recipe_te_operand(const fp8mac_recipe_te_layer *layer,
                                              fp8mac_recipe_te_gemm gemm, bool is_gradient);

// ---- XLA ----------------------------------------------------------------------------------------
// The RFC "FP8 in XLA" (openxla/xla, discussion 22). The scale dequantises.
//
//   next = 1.1f * (amax / fp8_max)      used from the next step on
//   q = convert(clamp(x / scale, +-fp8_max))      saturate
//
// The previous scale stays if amax is 0, Inf or NaN, or if `next` would be 0 or infinite. E5M2
// gradients under loss scaling are converted with overflow mode `ieee` and are not clamped. An
// overflow then stays visible, and the training loop can drop the step.

float fp8mac_recipe_xla_next(float fp8_max, float amax, float scale);
fp8mac_convert_mode fp8mac_recipe_xla_mode(fp8mac_format_id format, bool loss_scaled_gradient);
// dst[i] = convert(src[i] / scale). Errors as fp8mac_quantize.
fp8mac_status fp8mac_recipe_xla_quantize(const fp8mac_format *dst_format, void *dst,
                                         const float *src, size_t n, float scale,
                                         fp8mac_convert_mode mode, fp8mac_flags *flags);

// ---- two more rules that users of XLA meet ------------------------------------------------------
// Flax: google/flax, flax/linen/fp8_ops.py, compute_scale. `scale` is the previous scale. Both
// scales dequantise; amax is fp8mac_recipe_reduce of the history.
//
//   next = 1 / ((fp8_max / amax) / 2^margin)      amax finite and > 0
//        = 1 / (1 / scale)                        amax 0, Inf or NaN
//
// Nothing is clamped: `next` is 0 or Inf where the arithmetic gives that. FP8MAC_RECIPE_MARGIN_MIN
// and _MAX limit `margin`. XLA's CPU backend flushes subnormals; this function keeps them.
float fp8mac_recipe_flax_scale(float fp8_max, int margin, float amax, float scale);

// The rule of examples for JAX and TensorFlow (kaixih/xla_fp8_testing, DenseFp8.py, update_scale).
// The scale dequantises. Examples with a history pass its maximum as amax.
//
//   next = (1.1f * max(amax, 2^-10)) / fp8_max      Inf for an amax of Inf, NaN for NaN
float fp8mac_recipe_xla_example_next(float fp8_max, float amax);

// ---- PyTorch float8 (torchao) -------------------------------------------------------------------
// pytorch/ao, torchao/float8/float8_utils.py, amax_to_scale. The scale quantises.
//
//   scale = float32( float64(fp8_max) * (1 / max(float64(amax), 1e-12)) )
//   power_of_two:  scale = 2^floor(log2 scale)      log2 rounded to FP32 before the floor
//
// The product is that of PyTorch, which computes a number divided by a tensor so. The logarithm of
// a scale a few units in the last place below 2^k rounds to k, so that scale becomes 2^k. For an
// amax of Inf or NaN the previous scale stays. torchao gives 0 or NaN there, which cannot
// dequantise. Dynamic scaling passes the amax of the tensor itself. Delayed scaling passes
// fp8mac_recipe_reduce of a history. Static scaling uses a given scale and no amax.
float fp8mac_recipe_pytorch_scale(float fp8_max, float amax, bool power_of_two, float previous);
// torchao's own result for every amax: 0 for Inf, and NaN (0x7fc00000) for NaN.
float fp8mac_recipe_torchao_scale(float fp8_max, float amax, bool power_of_two);

// ---- Graphcore ----------------------------------------------------------------------------------
// Perez et al., Training and inference of large language models using 8-bit floating point (arXiv
// 2309.17224).
//
//   FP8-AMAX     b = floor(log2(fp8_max / amax)), per tensor
//   FP8-CSCALE   b is one constant for all tensors of a kind
//
// x * 2^b is converted to FP8. The GEMM then uses 2^s * code, where s = -b is a scaling exponent of
// fp8mac_dot_config. b is therefore clamped to -32..+32. An amax of 0, Inf or NaN keeps the
// previous b.
int fp8mac_recipe_graphcore_amax_bias(float fp8_max, float amax, int previous);
int fp8mac_recipe_graphcore_cscale_bias(int bias);
// s = -b, clamped to FP8MAC_SCALE_EXPONENT_MIN..MAX.
int fp8mac_recipe_scale_exponent(int bias);

// ---- FP8-LM -------------------------------------------------------------------------------------
// Peng et al., FP8-LM: Training FP8 large language models (arXiv 2310.18313), 2.1; Azure/MS-AMP.
//
//   mu' = mu * 0.5f           if more than 0.001 % of the values saturated
//       = mu * 1.00069344f    otherwise: doubles in 1000 steps
//
//   a reduction over N ranks: pre-scaling  sum of g / N;  post-scaling  (sum of g) / N;
//                             automatic  (sum of mu g) / (N mu)
//
// The scale of a tensor is FP8MAC_RECIPE_POWER_OF_TWO of recipe.h, or MS-AMP's own function below.
// The shared scale of a sum over ranks is the least of the ranks' scales.

// Azure/MS-AMP, msamp/common/tensor/meta.py, ScalingMeta.compute_scaling_factor, bit for bit:
//
//   e = floor(log2(fp8_max * (1 / amax))) - margin      log2 rounded to FP32 before the floor
//   s = 2^|e|, or `previous` if amax is 0, Inf or NaN
//   scale = 1 / s if e < 0, s otherwise
//
// It differs from FP8MAC_RECIPE_POWER_OF_TWO in four cases:
//
//   amax Inf                           1 / previous, because e is -Inf; NaN and 0 keep `previous`
//   e of 128 or more, or of -128 or less   Inf, 0
//   fp8_max / amax a little below 2^k      2^k, where log2 rounds to k
//   1 / amax infinite                      Inf
//
// FP8MAC_RECIPE_MARGIN_MIN and _MAX limit `margin`.
float fp8mac_recipe_msamp_scale(float fp8_max, int margin, float amax, float previous);

// mu' above. mu stays if mu' would not be finite and greater than 0, or if `total` is 0.
float fp8mac_recipe_fp8lm_mu(float mu, uint64_t saturated, uint64_t total);
// The least of n >= 1 scales.
float fp8mac_recipe_fp8lm_shared_scale(const float *scales, size_t n);

typedef enum fp8mac_recipe_reduction {
    FP8MAC_REDUCTION_PRE_SCALING = 0,
    FP8MAC_REDUCTION_POST_SCALING = 1,
    FP8MAC_REDUCTION_AUTOMATIC = 2,
} fp8mac_recipe_reduction;

// `before` multiplies each rank's values, `after` multiplies their sum.
typedef struct fp8mac_recipe_factors {
    float before, after;
} fp8mac_recipe_factors;

// {before, after} for N = ranks >= 1: pre-scaling {1/N, 1}; post-scaling {1, 1/N}; automatic
// {mu, 1/(N mu)}. Only the automatic reduction reads `mu`.
fp8mac_recipe_factors fp8mac_recipe_reduction_factors(fp8mac_recipe_reduction reduction,
                                                      uint32_t ranks, float mu);

// ---- OCP MX -------------------------------------------------------------------------------------
// OCP Microscaling Formats (MX) v1.0, 6.3. For each block of 32 values V_i:
//
//   emax = floor(log2(largest element))
//   X    = 2^(floor(log2 amax) - emax), clamped to 2^-127 .. 2^127
//   P_i  = convert(V_i / X), rounded once and saturated
//
// If amax is 0, the scale's code is 0 (X = 2^-127). If a V_i is NaN or Inf, the scale's code is
// 0xff and the elements are 0.

// The E8M0 code of X for elements of `element`, which must be valid.
uint8_t fp8mac_recipe_mx_scale(const fp8mac_format *element, float amax);
// Converts n floats to n elements and ceil(n / 32) scales; the last block may be short. Rounds to
// nearest even and saturates. Raises FP8MAC_FLAG_SATURATED, and FP8MAC_FLAG_NAN for a NaN in src.
// Errors: FP8MAC_ERR_NULL; FP8MAC_ERR_FORMAT (invalid, or wider than a byte).
fp8mac_status fp8mac_recipe_mx_quantize(const fp8mac_format *element, uint8_t *dst, uint8_t *scales,
                                        const float *src, size_t n, fp8mac_flags *flags);

// ---- Qualcomm -----------------------------------------------------------------------------------
// Kuzmin et al., FP8 quantization: the power of the exponent (arXiv 2208.09225). The bias is
// flexible: one call for a tensor, or one for each channel. The result is the bias b in
// lowest..highest with the least squared error, computed in float64:
//
//   error(b) = sum over i ascending of (float64(x_i) - float64(q_i))^2
//   q_i      = x_i in the format with bias b, rounded to nearest even, saturated
//
// The smallest b wins a tie. *bias is written on success only. Errors: FP8MAC_ERR_NULL;
// FP8MAC_ERR_FORMAT: `id` is not one of FP8MAC_QC_*; FP8MAC_ERR_SHAPE: n is 0, lowest exceeds
// highest, or one of them is outside -128..255; FP8MAC_ERR_SCALE: an x is not finite.
fp8mac_status fp8mac_recipe_qualcomm_bias(fp8mac_format_id id, const float *x, size_t n, int lowest,
                                          int highest, int *bias);

// ---- static scales for inference ----------------------------------------------------------------
// A tensor of activations has one calibrated amax. A tensor of weights has one, or one for each
// output channel.
//
//   AutoFP8        quantise = fp8_max * (1 / max(amax, 1e-12f))      dequantise = 1 / quantise
//                  (neuralmagic/AutoFP8, auto_fp8/quantize.py, per_tensor_quantize; the product is
//                  that of PyTorch, which computes a number divided by a tensor so)
//   AutoFP8, IEEE  quantise = fp8_max / max(amax, 1e-12f), rounded once; otherwise the same
//   vLLM           dequantise = max(amax / fp8_max, 1 / (fp8_max * 512))   quantise = 1 /
//                                                                          dequantise
//                  (vllm-project/vllm, csrc/quantization/fp8; the lower limit is that of its
//                  per-token kernel)
//   TensorRT-LLM   dequantise = amax / fp8_max; 1 for amax 0   quantise = 1 / dequantise
//                  (NVIDIA/TensorRT-LLM and ModelOpt, which export amax as a scaling factor of
//                  weights or activations)

typedef enum fp8mac_recipe_scheme {
    FP8MAC_SCHEME_AUTOFP8 = 0,
    FP8MAC_SCHEME_VLLM = 1,
    FP8MAC_SCHEME_TENSORRT_LLM = 2,
    FP8MAC_SCHEME_AUTOFP8_IEEE = 3,
} fp8mac_recipe_scheme;

// Computes n pairs of scales from n amaxes. Errors, after which nothing has been written:
// FP8MAC_ERR_NULL; FP8MAC_ERR_UNSUPPORTED (scheme); FP8MAC_ERR_SCALE (fp8_max or a result is not
// finite and > 0, or an amax is Inf or NaN).
fp8mac_status fp8mac_recipe_static_scales(fp8mac_recipe_scheme scheme, float fp8_max,
                                          const float *amaxes, size_t n, float *quantise,
                                          float *dequantise);

#ifdef __cplusplus
}
#endif
#endif
