# SPDX-License-Identifier: Apache-2.0
"""Inputs of the classifier of the Python package rapidocr-onnxruntime (Apache-2.0), which set-up installs as data: lines of text.

The network says whether a line is upright or turned by 180 degrees. No pictures of text are at hand, so lines are drawn: one to
four words in a font of the pinned package matplotlib, dark on light or light on dark, slightly inclined, blurred and noisy.
Every second line is turned. Lines with an even number calibrate in DejaVu's fonts, those with an odd one test in other fonts.

    height 48 in the line's own proportions, width 192 at most; blue, green, red from -1 to 1; zeros to the right
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

HEIGHT, WIDTH = 48, 192
RUNS = 48  # for calibration, and as many for the test
SEED = 5
FONTS = (
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf"),
    ("STIXGeneral.ttf", "STIXGeneralBol.ttf", "STIXGeneralItalic.ttf", "DejaVuSerif-Italic.ttf"),
)
WORDS = (
    *("Array", "beats", "bus", "Command", "core", "cycle", "Element", "exponent", "FIFO", "list"),
    *("Model", "network", "operand", "Pause", "queue", "register", "Row", "scale", "table", "Tile"),
    *("2 x 2", "16", "48 kHz", "Fig. 7", "12:45", "No. 31", "50 MHz", "100 %", "(b)", "A/B"),
)


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise SystemExit(f"the Python package {package} is missing: make setup")
    return Path(spec.submodule_search_locations[0])


def network() -> Path:
    """The package's ONNX file. The package itself is not imported."""
    folder = _folder("rapidocr_onnxruntime")
    return folder / "models" / "ch_ppocr_mobile_v2.0_cls_infer.onnx"


def _colours(rng: np.random.Generator) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of paper and ink"""
    light, dark = rng.integers(170, 256, 3), rng.integers(0, 100, 3)
    pair = (dark, light) if rng.random() < 0.3 else (light, dark)
    return tuple(tuple(int(x) for x in colour) for colour in pair)


def _line(rng: np.random.Generator, fonts: tuple[str, ...]) -> Image.Image:
    text = " ".join(rng.choice(WORDS, rng.integers(1, 5)))
    name = fonts[rng.integers(len(fonts))]
    path = _folder("matplotlib") / "mpl-data" / "fonts" / "ttf" / name
    font = ImageFont.truetype(str(path), 64, layout_engine=ImageFont.Layout.BASIC)
    left, top, right, bottom = font.getbbox(text)
    margin = int(rng.integers(4, 20))
    paper, ink = _colours(rng)
    picture = Image.new("RGB", (right - left + 2 * margin, bottom - top + 2 * margin), paper)
    ImageDraw.Draw(picture).text((margin - left, margin - top), text, font=font, fill=ink)
    picture = picture.rotate(float(rng.uniform(-2, 2)), Image.Resampling.BILINEAR, fillcolor=paper)
    return picture.filter(ImageFilter.GaussianBlur(float(rng.uniform(0, 1.5))))


def _numbers(picture: Image.Image, rng: np.random.Generator) -> np.ndarray:
    """1 x 3 x 48 x 192"""
    width = min(WIDTH, -(-HEIGHT * picture.width // picture.height))
    small = picture.resize((width, HEIGHT), Image.Resampling.BILINEAR)
    values = np.asarray(small, np.float64)[:, :, ::-1] + rng.normal(size=(HEIGHT, width, 3)) * 6
    wide = np.zeros((1, 3, HEIGHT, WIDTH), np.float32)
    wide[0, :, :, :width] = (np.clip(values, 0, 255) / 127.5 - 1).transpose(2, 0, 1)
    return wide


def line(number: int) -> tuple[np.ndarray, bool]:
    """A line's values, and whether it is turned"""
    rng = np.random.default_rng((SEED, number))
    turned = number // 2 % 2 == 1
    picture = _line(rng, FONTS[number % 2])
    return _numbers(
        picture.transpose(Image.Transpose.ROTATE_180) if turned else picture, rng
    ), turned


def runs() -> tuple[list[dict], list[dict]]:
    """Runs for calibration and for the test"""
    every = [{"x": line(number)[0]} for number in range(2 * RUNS)]
    return every[::2], every[1::2]
