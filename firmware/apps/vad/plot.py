# SPDX-License-Identifier: Apache-2.0
"""Draws what the vad application prints: the waveform of each recording, and the probability of speech from the chip
(or the host's golden model) beside float32.

    make run APP=vad TIMED=1 FRAMES=45 LIST=1 | build/venv/bin/python firmware/apps/vad/plot.py build/vad.svg
"""

import argparse
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import prepare

RATE = 16000


def read(lines):
    """name: list of (FP8, float32), in the order of frames."""
    found = {}
    for line in lines:
        words = line.split()
        if len(words) == 5 and words[0] == "frame":
            found.setdefault(words[1], []).append((float(words[3]), float(words[4])))
    if not found:
        raise SystemExit("no frames in the input: run the application with LIST=1")
    return found


def draw(axis, name, samples, frames):
    frames = np.array(frames)
    samples = samples[: len(frames) * prepare.FRAME] / 32768
    time = np.arange(len(samples)) / RATE
    axis.plot(time, 0.5 + 0.5 * samples / np.abs(samples).max(), color="0.8", linewidth=0.5)
    edges = np.arange(len(frames) + 1) * prepare.FRAME / RATE
    axis.stairs(frames[:, 1], edges, color="tab:orange", label="float32", baseline=None)
    axis.stairs(frames[:, 0], edges, color="tab:blue", label="FP8", baseline=None)
    axis.axhline(0.5, color="0.5", linewidth=0.5, linestyle=":")
    axis.set(ylim=(-0.02, 1.02), title=name.replace("_", " "), xlabel="seconds")
    axis.title.set_fontsize("medium")


def main():
    parser = argparse.ArgumentParser(description="draws the lines of vad LIST=1 (standard input)")
    parser.add_argument("out", type=pathlib.Path, help="the image, .svg or .png")
    out = parser.parse_args().out
    found, recordings = read(sys.stdin), prepare.recordings()
    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    size = (4.5 * columns, 2.2 * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for axis in axes.flat[len(found) :]:
        axis.remove()
    for axis, (name, frames) in zip(axes.flat, found.items()):
        draw(axis, name, recordings[name], frames)
    axes[0, 0].set_ylabel("probability of speech")
    axes[0, 0].legend(loc="center right", fontsize="small")
    figure.savefig(out)


if __name__ == "__main__":
    main()
