# SPDX-License-Identifier: Apache-2.0
"""A netlist of a part of the chip does again what the RTL did: it gets the inputs that a waveform has, cycle by cycle, and
every bit of its outputs must be what the waveform says.

Instances of one netlist run side by side, each in a stream of the simulator. Transitions count in the cycles that the
caller chooses.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..flow.errors import FlowError
from .circuit import COUNTED, ENABLE, STREAMS, Activity, Changes, Circuit, Mode
from .waveform import Recording


@dataclass(frozen=True)
class Part:
    """A netlist and its instances: the start of the names of each one's ports in the waveform. `enables`: of each, the
    enable of the gate of its clock; empty if it has none. `repaired`: the netlist keeps the design rules."""

    title: str
    netlist: Path  # netlist.json
    top: str
    instances: tuple[str, ...]
    enables: tuple[str, ...] = ()
    repaired: bool = True

    @property
    def gated(self) -> bool:
        return bool(self.enables)

    def signal(self, instance: int, port: str) -> str:
        return self.enables[instance] if port == ENABLE else f"{self.instances[instance]}_{port}"

    def widths(self, circuit: Circuit) -> dict[str, int]:
        """Of the signals of the waveform that it needs"""
        return {
            self.signal(instance, port): len(bits)
            for direction in ("input", "output")
            for port, bits in circuit.ports(direction).items()
            for instance in range(len(self.instances))
        }


def changes(
    part: Part, circuit: Circuit, direction: str, recording: Recording, chosen: range
) -> Changes:
    """Of the words of all ports' bits, of the instances `chosen`: one is a bit of a word"""
    of_signal: dict[str, list[tuple[int, int]]] = {}  # the first word and the stream
    word = 0
    for port, bits in circuit.ports(direction).items():
        for stream, instance in enumerate(chosen):
            of_signal.setdefault(part.signal(instance, port), []).append((word, stream))
        word += len(bits)
    widths = part.widths(circuit)
    total = max(recording.first.values()) + max(widths.values()) + 1
    found = []
    repeats = max(len(its) for its in of_signal.values())
    for turn in range(repeats):  # a signal may be a port of several instances
        to_word, to_stream = np.full(total, -1), np.zeros(total, np.uint64)
        for signal, its in of_signal.items():
            if turn < len(its):
                place = recording.first[signal] + np.arange(widths[signal])
                to_word[place] = its[turn][0] + np.arange(widths[signal])
                to_stream[place] = its[turn][1]
        its = to_word[recording.bit]
        mine = its >= 0
        found.append(
            (recording.cycle[mine], its[mine], np.uint64(1) << to_stream[recording.bit[mine]])
        )
    return words_of(*(np.concatenate(column) for column in zip(*found)), recording.cycles)


def words_of(cycle: np.ndarray, word: np.ndarray, mask: np.ndarray, cycles: int) -> Changes:
    """Changes of words from changes of their bits, in any order"""
    if not len(cycle):
        return Changes(np.zeros(cycles, np.uint64), np.zeros((0, 2), np.uint64))
    order = np.lexsort((cycle, word))
    cycle, word, mask = cycle[order], word[order], mask[order]
    starts = np.flatnonzero(np.r_[True, (cycle[1:] != cycle[:-1]) | (word[1:] != word[:-1])])
    mask, cycle, word = np.bitwise_xor.reduceat(mask, starts), cycle[starts], word[starts]
    value = np.bitwise_xor.accumulate(mask)
    begins = np.flatnonzero(np.r_[True, word[1:] != word[:-1]])
    lengths = np.diff(np.r_[begins, len(word)])
    value ^= np.repeat((value ^ mask)[begins], lengths)  # each word begins with 0
    order = np.lexsort((word, cycle))
    counts = np.bincount(cycle, minlength=cycles).astype(np.uint64)
    return Changes(counts, np.stack([word[order].astype(np.uint64), value[order]], axis=1))


def since(found: Changes, start: int, left_out: np.ndarray) -> np.ndarray:
    """[change, 3]: cycle, word and value of every change after cycle `start`, and before them of every word that is not 0 in
    it. `left_out`: words that do not count."""
    cycle = np.repeat(np.arange(len(found.counts), dtype=np.uint64), found.counts.astype(int))
    rows = np.column_stack([cycle, found.pairs])
    rows = rows[~left_out[rows[:, 1].astype(int)]]
    later = int(np.searchsorted(rows[:, 0], start, side="right"))
    backwards = rows[:later][::-1]
    first = backwards[np.unique(backwards[:, 1], return_index=True)[1]]  # the last change of each
    first = first[first[:, 2] != 0]
    first[:, 0] = start
    return np.concatenate([first, rows[later:]])


def differences(found: Changes, wanted: Changes, start: int, left_out: np.ndarray) -> set[int]:
    """Of the first difference from cycle `start` on the words. Before it registers without a reset may differ: a netlist begins
    with zeros, also where a constant has taken the place of a register."""
    one, other = (since(its, start, left_out) for its in (found, wanted))
    size = min(len(one), len(other))
    wrong = np.flatnonzero((one[:size] != other[:size]).any(axis=1))
    if not len(wrong) and len(one) == len(other):
        return set()
    at = int(wrong[0]) if len(wrong) else size
    return {int(rows[at, 1]) for rows in (one, other) if at < len(rows)}


@dataclass(frozen=True)
class Replayed:
    activity: Activity  # of an instance, in the cycles that count
    compared: int  # changes of output words that were compared


def replay(
    part: Part,
    circuit: Circuit,
    recording: Recording,
    counted: np.ndarray,
    first: int,
    binary: Path,
    folder: Path,
    mode: Mode,
    may_differ: frozenset[str] = frozenset(),
) -> Replayed:
    """`counted`: [cycle], whether transitions count. `first`: the cycle from which outputs are compared. `may_differ`: ports of
    which an output may have another value."""
    names = [port for port, bits in circuit.ports("output").items() for _ in bits]
    left_out = np.array([name in may_differ for name in names])
    sums, compared = [0, 0], 0
    for start in range(0, len(part.instances), STREAMS):
        chosen = range(start, min(start + STREAMS, len(part.instances)))
        stimulus = changes(part, circuit, "input", recording, chosen)
        flags = np.where(counted, COUNTED, np.uint64(0))
        given = Changes(stimulus.counts | flags, stimulus.pairs)
        *found, samples = circuit.run(binary, folder, given, mode, len(chosen))
        sums = [total + its for total, its in zip(sums, found)]
        wanted = changes(part, circuit, "output", recording, chosen)
        compared += len(wanted.pairs)
        wrong = differences(samples, wanted, first, left_out)
        if wrong:
            its = " and ".join(sorted({names[word] for word in wrong}))
            raise FlowError(f"{part.title}: {its} differs from the RTL's")
    cycles = int(counted.sum())
    each = cycles * len(part.instances)
    activity = Activity(*(circuit.by_net(total / each) for total in sums), {}, cycles)
    return Replayed(activity, compared)
