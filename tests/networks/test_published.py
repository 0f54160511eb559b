# SPDX-License-Identifier: Apache-2.0
"""The published networks magika (kinds of files), rapidocr (lines of text) and basic-pitch (notes) keep their quality beside ONNX Runtime.

The bounds of SQNR and of answers are requirements: a network that loses more is of no use. sim/bench/networks.json records what
they get, and `make accept-networks` says what moved.
"""

from __future__ import annotations

import files
import lines
import music
import numpy as np
from fp8net import lower, quantize, report, shapes
from fp8net.errors import Refused
from fp8net.executor import Executor


def _outputs(path, calibration, test, options, name, given=None):
    """Of float32 and of FP8: all values of an output, a row for each run."""
    quantised, _ = quantize.quantize(path, calibration, options, given)
    graph = lower.lower_model(shapes.infer(quantised))
    session, executor = shapes.session(shapes.prepare(path, given)), Executor(graph)
    truth = [session.run([name], run)[0].reshape(-1) for run in test]
    mine = [executor.run(run)[name].reshape(-1) for run in test]
    return np.stack(truth), np.stack(mine)


def test_files(bench) -> None:
    calibration, test = files.runs()
    name = "target_label"
    truth, mine = _outputs(files.network(), calibration, test, quantize.Options(), name)
    error = report.sqnr(truth, mine)
    wrong = int((truth.argmax(axis=1) != mine.argmax(axis=1)).sum())
    print(f"magika: {error:.1f} dB, {wrong} of {len(test)} answers differ")
    bench.check(f"{len(test)} files", len(test) > 80)
    kinds = len(set(truth.argmax(axis=1)))
    bench.check(f"{kinds} kinds of them", kinds > 30)
    bench.check(f"{error:.1f} dB", error >= 19.0)
    bench.check(f"{wrong} answers differ", wrong <= 8)


def test_lines(bench) -> None:
    """Squeeze and excitation, HardSwish, kernels of 5 x 5 for each channel. Half of the lines are turned."""
    calibration, test = lines.runs()
    name, given = "save_infer_model/scale_0.tmp_1", {"x": test[0]["x"].shape}
    truth, mine = _outputs(lines.network(), calibration, test, quantize.Options(), name, given)
    error = report.sqnr(truth, mine)
    wrong = int((truth.argmax(axis=1) != mine.argmax(axis=1)).sum())
    right = [lines.line(2 * number + 1)[1] for number in range(len(test))] == truth.argmax(axis=1)
    print(f"rapidocr: {error:.1f} dB, {wrong} of {len(test)} answers differ")
    bench.check(f"float32 sees {right.sum()} of {len(test)} lines", right.sum() >= 45)
    bench.check(f"{error:.1f} dB", error >= 12.0)
    bench.check(f"{wrong} answers differ", wrong <= 4)


def test_music(bench) -> None:
    calibration, test = music.runs(music.RUNS)
    path, name = music.network(), music.NOTES
    options = quantize.Options(keep=music.KEEP)
    truth, mine = _outputs(path, calibration, test, options, name)
    error, (yes, also) = report.sqnr(truth, mine), (truth > 0.5, mine > 0.5)
    share = (yes & also).sum() / (yes | also).sum()
    print(
        f"basic-pitch: {error:.1f} dB; {share:.1%} of {int((yes | also).sum())} notes are in both"
    )
    bench.check(f"{int(yes.sum())} frames of notes", yes.sum() > 500)
    bench.check(f"{error:.1f} dB", error >= 12.0)
    bench.check(f"{share:.1%} of the notes are in both", share >= 0.7)
    coarse = report.sqnr(*_outputs(path, calibration, test[:2], quantize.Options(), name))
    bench.check(f"with codes of spectra {coarse:.1f} dB", coarse < error - 3.0)
    wrong = quantize.Options(keep=("no such tensor",))
    bench.raises(
        "no such tensor", Refused, "--keep", lambda: quantize.quantize(path, calibration, wrong)
    )
