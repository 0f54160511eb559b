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
# DIR/NAME has the sources of a property set. Each run has a folder there, DIR/NAME/RUN, with what a fault changes, its model,
# its log and a proof's trace. A run that uses up its processor time is "not finished": it fails, but says nothing about the design. Wall-clock time decides nothing.
import argparse
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from proofs import PACKAGES, PROOFS
from tool import Tools, failed_properties, script, status_of

# Processor seconds that one process of a run may use: about thirty times what the longest one needs.
CPU_LIMIT = 1800
CPU_LIMIT_DEEPER = 8 * 3600


class Job:
    """One run of the tool: a proof, its covers, or one of its faults."""

    def __init__(self, proof, kind, fault=None):
        self.proof, self.kind, self.fault = proof, kind, fault
        self.name = f"{proof.name}/{kind if fault is None else 'fault_' + fault.name}"

    def steps(self):
        """The steps that are searched: from the first to the depth. A proof searches every step."""
        if self.kind == "cover":
            return f"{self.proof.first_cover}:{self.proof.cover_depth}"
        if self.fault is not None:
            return f"{self.fault.first_step}:{self.fault.depth or self.proof.fault_depth}"
        return str(self.proof.depth)


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


def prepare(jobs, args):
    """Writes the sources of a property set's runs, and the script that makes their models."""
    proof = jobs[0].proof
    shutil.rmtree(args.out / proof.name, ignore_errors=True)
    designs = {}  # files to models
    for job in jobs:
        folder = args.out / job.name
        folder.mkdir(parents=True)
        names = []
        for path in sources(proof, args):
            faulty = job.fault is not None and path.name == job.fault.file
            place = folder if faulty else args.out / proof.name / "src"
            place.mkdir(exist_ok=True)
            (place / path.name).write_text(source_text(path, job.fault))
            names.append(str((place / path.name).relative_to(args.out / proof.name)))
        if job.fault is not None and job.fault.file not in [Path(name).name for name in names]:
            raise ValueError(
                f"seeded fault {job.fault.name}: {job.fault.file} is not among the sources"
            )
        models = designs.setdefault(tuple(names), [])
        models.append((job.kind, f"{folder.name}/model.smt2"))
    (args.out / proof.name / "models.ys").write_text(
        script(proof.top, proof.params, list(designs.items()))
    )


@dataclass
class Outcome:
    job: Job
    passed: bool
    said: str
    seconds: float = 0.0  # of processor time

    def line(self):
        verdict = "ok  " if self.passed else "FAIL"
        return f"{verdict} {self.job.name:52} {self.seconds:6.1f} s  {self.said}"


def search(job, folder, tools):
    """Runs the searches of a run. Returns whether it passed, what to say, and the processor seconds."""
    proof = job.proof
    if job.kind == "proof":
        ways = [[], ["-i"]] if proof.mode == "prove" else [[]]
    else:
        ways = [["-c"]] if job.kind == "cover" else [[]]
    total, says = 0.0, ""
    for way in ways:
        trace = ["--dump-vcd", f"trace{''.join(way)}.vcd"] if job.kind == "proof" else []
        said, seconds = tools.search(folder, proof.engine, job.steps(), way + trace)
        total, says = total + seconds, says + said
        status = status_of(said)
        if status not in ("passed", "failed"):
            error = re.search(r"(ERROR|Error): .*", said)
            why = error.group(0) if error else "see its log"
            return False, f"not finished, {status}: {why}", total
        if status == "failed":
            break
    return (*judge(job, status, says), total)


def judge(job, status, log):
    """Returns whether the run passed, and what to say about it."""
    failed = failed_properties(log)
    broken = f"{status}: {', '.join(sorted(failed)) or 'nothing failed'}"
    if job.kind == "cover":
        reached = len(re.findall(r"Reached cover statement", log))
        return status == "passed" and reached > 0, f"{status}: {reached} covered"
    if job.kind == "proof":
        unbounded = job.proof.mode == "prove"
        how = "unbounded" if unbounded else f"to depth {job.proof.depth}"
        return status == "passed", f"passed ({how})" if status == "passed" else broken
    caught = status == "failed" and not failed.isdisjoint(job.fault.catches.split("|"))
    return caught, broken


def run(job, args):
    folder = args.out / job.name
    passed, said, seconds = search(job, folder, args.tools)
    return Outcome(job, passed, said if passed else f"{said} ({folder / 'log'})", seconds)


def run_set(jobs, args, pool):
    """Makes the models of a property set's runs, and starts these. Gives what is to wait for."""
    try:
        prepare(jobs, args)
    except ValueError as error:
        return [pool.submit(Outcome, job, False, str(error)) for job in jobs]
    folder = args.out / jobs[0].proof.name
    made, seconds = args.tools.translate(folder)
    print(f"     {jobs[0].proof.name + '/models':52} {seconds:6.1f} s", flush=True)
    if not made:
        said = f"Yosys does not make the model ({folder / 'models.log'})"
        return [pool.submit(Outcome, job, False, said) for job in jobs]
    return [pool.submit(run, job, args) for job in jobs]


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
    args.tools = Tools(
        args.tools.absolute(), CPU_LIMIT_DEEPER if args.tier == "deeper" else CPU_LIMIT
    )

    if args.blocks:
        refuse_what_no_block_runs(args)
    jobs = selected(args, args.names)
    proofs = {job.proof.name: job.proof for job in jobs}.values()
    if lost := sorted(set(faults_without_place(proofs, args))):
        print("\n".join(lost))
        print(f"0 passed, {len(lost)} failed")
        return 1
    failures = []
    sets = {}
    for job in jobs:
        sets.setdefault(job.proof.name, []).append(job)
    with ThreadPoolExecutor(args.jobs) as makers, ThreadPoolExecutor(args.jobs) as pool:
        begun = [makers.submit(run_set, of_set, args, pool) for of_set in sets.values()]
        for done in (one for some in begun for one in some.result()):
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
