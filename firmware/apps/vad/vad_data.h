// SPDX-License-Identifier: Apache-2.0
// What prepare.py makes for the voice activity detector: weights, recordings, and the probabilities
// of the network in float32. Everything is aligned for the accelerator's bus.
#ifndef VAD_DATA_H
#define VAD_DATA_H

#include "fp8rt/tensor.h"

enum {
    VAD_FRAME = 512,    // new samples of a frame, 32 ms at 16 kHz
    VAD_CONTEXT = 64,   // samples before them
    VAD_REFLECTED = 64, // samples behind them: the last ones but one, reversed
    VAD_HOP = 128,      // samples from one column of the spectrum to the next
    VAD_COLUMNS = 4,
    VAD_BINS = 129, // of the spectrum
    VAD_IMAGINARY =
        144, // row of vad_fourier where the imaginary parts begin; the real ones begin at 0
    VAD_CONVOLUTIONS = 4,
    VAD_UNITS = 128,         // of the LSTM
    VAD_POWER_SCALE = 16,    // codes of powers, in e5m2, are power * this
    VAD_MAGNITUDE_SCALE = 8, // codes of magnitudes, in e4m3fn, are magnitude * this
};

// Samples and basis are sums of two codes, high and low. A row has for each half of the
// window the high, the high and the low codes of the basis, for the high, the low and the
// high codes of the samples.
extern const fp8rt_weights vad_fourier;
extern const fp8rt_weights vad_convolutions[VAD_CONVOLUTIONS]; // of width 3, padded by 1
extern const fp8rt_weights vad_input, vad_recurrent;           // of the LSTM
extern const fp8rt_weights vad_decoder;
// The code of the magnitude for the code of its power.
extern const uint8_t vad_square_root[FP8RT_TABLE_CODES];

typedef struct vad_recording {
    const char *name;
    uint32_t frames;
    const int16_t *samples; // frames * VAD_FRAME, 16 kHz
    const float *float32;   // the probability of speech in each frame, in float32
} vad_recording;

extern const vad_recording vad_recordings[];
extern const uint32_t vad_recording_count;

#endif
