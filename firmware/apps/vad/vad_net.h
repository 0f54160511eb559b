// SPDX-License-Identifier: Apache-2.0
// The network of the voice activity detector, frame by frame. Activations are e4m3fn with static
// scales, the LSTM's cell is FP32.
#ifndef VAD_NET_H
#define VAD_NET_H

#include "fp8rt/app.h"
#include "fp8rt/network.h"
#include "fp8rt/tensor.h"
#include "vad_data.h"

enum { VAD_SAMPLES = VAD_CONTEXT + VAD_FRAME + VAD_REFLECTED };

typedef struct vad_net {
    fp8rt_device *dev;
    fp8rt_network network; // the layers of a frame as a list
    fp8rt_run run;         // the caller may give it a profile: the layers then run one by one
    fp8rt_plans plans;     // of all commands of a frame
    fp8rt_tensor shifted;  // FP32 numbers sample + SHIFT of vad_net.c, VAD_HOP a row
    fp8rt_tensor shift;    // SHIFT for each of them
    fp8rt_tensor samples;  // in FP32
    fp8rt_tensor parts;    // of the samples: high, low and high codes
    fp8rt_tensor spectrum; // a row for each column
    fp8rt_tensor magnitudes;
    fp8rt_tensor features[VAD_CONVOLUTIONS];
    fp8rt_tensor hidden, rectified, logit;
    fp8rt_tensor cell; // 1 x VAD_UNITS
} vad_net;

// Memory and scratch come from the arena. FP8RT_ERR_SCRATCH: it is too small; others as the layers.
fp8rt_status vad_net_open(vad_net *net, fp8rt_device *dev, fp8rt_arena *arena);
// Starts with the first frame of a recording.
void vad_net_reset(vad_net *net);
// *probability that the next VAD_FRAME samples are speech.
fp8rt_status vad_net_frame(vad_net *net, const int16_t *samples, float *probability);
// Continues a checksum (FNV-1a) over what the last frame has left: magnitudes, outputs of the
// convolutions, state of the LSTM, logit.
uint32_t vad_net_checksum(const vad_net *net, uint32_t sum);

#endif
