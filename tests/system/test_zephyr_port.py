# SPDX-License-Identifier: Apache-2.0
"""The port for Zephyr passes the tests of zephyr/test_port.c, and each seeded fault fails them.

python -m pytest -c tests/pytest.ini tests/system/test_zephyr_port.py --folder FOLDER --build BUILD
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.conftest import Bench

PORT = Path("firmware/port/zephyr/zephyr.c")
TEST = Path("tests/system/zephyr/test_port.c")
INCLUDES = (
    "tests/system/zephyr/stub",
    "firmware/port/zephyr",
    "firmware/include",
    "firmware/driver",
    "model/include",
)
GENERATED = ("regs", "catalogue")
FLAGS = (
    "-std=c11",
    "-D_POSIX_C_SOURCE=200809L",
    "-g",
    "-Wall",
    "-Wextra",
    "-fsanitize=address,undefined",
)

# A fault: its name, a text that the port has once, and what stands there instead
FAULTS = (
    ("a sleep has no limit", "K_MSEC(LONGEST_SLEEP_MS)", "K_FOREVER"),
    ("a limit of a second", "LONGEST_SLEEP_MS 10", "LONGEST_SLEEP_MS 1000"),
    ("a sleep ends at once", "LONGEST_SLEEP_MS 10", "LONGEST_SLEEP_MS 0"),
    ("the handler wakes nobody", "    k_sem_give(&accelerator->event);\n", ""),
    (
        "a wake-up before the sleep is lost",
        "if (k_sem_take(",
        "k_sem_init(&of(dev)->event, 0, 1);\n    if (k_sem_take(",
    ),
    (
        "the semaphore counts nothing",
        "k_sem_init(&accelerator->event, 0, 1)",
        "k_sem_init(&accelerator->event, 0, 0)",
    ),
    (
        "the spin lock is not released",
        "    k_spin_unlock(&accelerator->announcing, key);\n",
        "    (void)key;\n",
    ),
    (
        "the thread takes no spin lock",
        "        take_events(of(dev));\n",
        "        fp8rt_device_interrupt(dev);\n",
    ),
    (
        "the handler takes no spin lock",
        "    take_events(accelerator);\n",
        "    fp8rt_device_interrupt(&accelerator->device);\n",
    ),
    ("the thread does not look after its limit", "        take_events(of(dev));\n", "        ;\n"),
    (
        "the thread looks after an event alone",
        "(LONGEST_SLEEP_MS)) != 0)",
        "(LONGEST_SLEEP_MS)) == 0)",
    ),
    ("the handler does not lower the line", "    take_events(accelerator);\n", ""),
    ("the mutex is not unlocked", "    k_mutex_unlock(&of(dev)->mutex);\n", "    (void)dev;\n"),
    ("an interrupt without an accelerator", "if (status == 0) {", "if (status <= 0) {"),
)


def passes(folder: Path, build: Path, text: str) -> tuple[bool, str]:
    """Compiles this port with the tests. Returns whether they pass, and what they say."""
    port, program = folder / "zephyr.c", folder / "test_port"
    port.write_text(text)
    folders = [*INCLUDES, *(build / name for name in GENERATED)]
    command = ["cc", *FLAGS, *(f"-I{name}" for name in folders), "-o", program, TEST, port]
    compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    if compiled.returncode != 0:
        raise RuntimeError(compiled.stderr)
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=600)
    return done.returncode == 0, done.stdout + done.stderr


def test_the_port(bench: Bench, folder: Path, build: Path) -> None:
    passed, said = passes(folder, build, PORT.read_text())
    bench.check(f"it passes: {said}", passed and int(said.split()[-4]) > 0)
    bench.passed += int(said.split()[-4]) - 1


@pytest.mark.parametrize(("name", "old", "new"), FAULTS)
def test_a_fault(bench: Bench, folder: Path, build: Path, name: str, old: str, new: str) -> None:
    text = PORT.read_text()
    bench.check(f"its place is there once: {name}", text.count(old) == 1)
    passed, said = passes(folder, build, text.replace(old, new))
    print(f"{name}: {said.splitlines()[0]}")
    bench.check(f"the seeded fault is found: {name}: {said}", not passed and "FAIL" in said)
