# SPDX-License-Identifier: Apache-2.0
"""A debugger at the simulated core, over tests/sim/soc.c.

    python -m pytest -c tests/pytest.ini tests/sim/test_gdb.py --sim SIM --elf SOC_ELF --gdb GDB --folder FOLDER

A client of its own steps through the start of the program. Each stop must be at the next instruction of the
simulator's list, with the registers that the list's effects give. Then gdb itself sets a breakpoint, a watchpoint and
a variable, and unwinds the stack.
"""

import contextlib
import re
import socket
import subprocess
import time
from pathlib import Path

from test_instructions import NAMES, entries

from tests.conftest import Bench

STEPS = 1200
TIMEOUT = 600  # seconds


class Client:
    """The remote serial protocol from the debugger's side."""

    def __init__(self, port):
        self.socket = socket.create_connection(("localhost", port), timeout=TIMEOUT)

    def send(self, text):
        self.socket.sendall(f"${text}#{sum(text.encode()) % 256:02x}".encode())

    def receive(self):
        data = b""
        while not re.search(rb"\$[^#]*#..", data):
            more = self.socket.recv(4096)
            if not more:
                return None
            data += more
        self.socket.sendall(b"+")
        return re.search(rb"\$([^#]*)#", data)[1].decode()

    def ask(self, text):
        self.send(text)
        return self.receive()

    def registers(self):
        """x0..x31 and pc."""
        data = bytes.fromhex(self.ask("g"))
        return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


@contextlib.contextmanager
def simulator(sim, elf, *arguments, options=()):
    """A simulator that waits for a debugger, and its port. Its output is in `said` afterwards."""
    command = [sim, "--gdb", "0", *options, elf, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.said = ""
    try:
        port = int(re.search(r"localhost:(\d+)", process.stderr.readline())[1])
        yield process, port
        process.said = "".join(process.communicate(timeout=TIMEOUT))
    finally:
        process.kill()


def test_steps(bench: Bench, sim: str, elf: str, folder: Path) -> None:
    path = folder / "gdb.txt"
    with simulator(sim, elf, options=["--instructions", str(path)]) as (process, port):
        client = Client(port)
        bench.check("it waits before the first instruction", client.ask("?") == "S05")
        stops = [client.registers()]
        for _ in range(STEPS):
            bench.check("a step", client.ask("s") == "S05")
            stops.append(client.registers())
        end = client.ask("c")
        bench.check(f"the end: {end}", end == "W00")
    bench.check("exit status", process.returncode == 0)
    plain = subprocess.run([sim, elf], capture_output=True, text=True)
    for what in (r"\d+ passed, 0 failed", r"after \d+ cycles"):
        bench.check(
            f"'{what}' as without a debugger",
            re.search(what, plain.stdout + plain.stderr)[0] in process.said,
        )
    registers = dict.fromkeys(NAMES, 0)
    executed = [e for e in entries(path) if e.name != "interrupt"]
    bench.check(
        "an exception is among the steps", any(e.name == "exception" for e in executed[:STEPS])
    )
    bench.check(
        "a load that waits is among the steps",
        any(name.startswith("load[4") for e in executed[:STEPS] for name in e.effects),
    )
    for entry, stop in zip(executed, stops):
        bench.check(
            f"cycle {entry.cycle}: stopped at {stop[32]:x}, not {entry.pc:x}", stop[32] == entry.pc
        )
        bench.check(
            f"cycle {entry.cycle}: registers {stop[:32]}", stop[:32] == list(registers.values())
        )
        registers |= {n: int(v, 16) for n, v in entry.effects.items() if n in NAMES}


def test_packets(bench: Bench, sim: str, elf: str) -> None:
    """Interrupts, points, memory, and what is refused. The program hangs."""
    with simulator(sim, elf, "hang") as (process, port):
        client = Client(port)
        for packet, answer in (
            ("m20000000,4", "E14"),
            ("m80ffffff,2", "E14"),
            ("mnowhere", "E01"),
            ("M80ff0000,2:12", "E01"),
            ("M80ff0000,3:123456", "OK"),
            ("m80ff0000,4", "12345600"),
            ("P1=00000000", "E01"),
            ("vCont?", ""),
            ("Z7,80000080,4", ""),
            ("qXfer:features:read:target.xml:0,5", "m<?xml"),
        ):
            got = client.ask(packet)
            bench.check(f"{packet}: {got}, not {answer}", got == answer)
        client.send("c")
        for _ in range(2):
            time.sleep(0.3)
            client.socket.sendall(b"\x03")
            bench.check("an interrupt stops the program", client.receive() == "S02")
            where = client.registers()[32]
            client.send("c")
        time.sleep(0.3)
        client.socket.sendall(b"\x03")
        client.receive()
        point = f"0,{where:x},2"
        bench.check("a breakpoint", client.ask(f"Z{point}") == "OK" and client.ask("c") == "S05")
        bench.check("the program is there", client.registers()[32] == where)
        bench.check(
            "it comes back there", client.ask("c") == "S05" and client.registers()[32] == where
        )
        client.ask(f"z{point}")
        client.send("c")
        time.sleep(0.3)
        client.socket.sendall(b"\x03")
        bench.check("without the breakpoint it goes on", client.receive() == "S02")
        client.send("k")
    bench.check(f"the debugger ends it: {process.returncode}", process.returncode == 130)
    # A sleeping chip is simulated so fast that the limit of cycles without output comes within the pause.
    with simulator(sim, elf, "sleep", options=["--silence", "0"]) as (process, port):
        client = Client(port)
        client.send("c")
        time.sleep(0.5)
        client.socket.sendall(b"\x03")
        bench.check("an interrupt while the core sleeps", client.receive() == "S02")
        client.socket.close()
    bench.check(f"a lost debugger ends it: {process.returncode}", process.returncode == 130)


def test_gdb(bench: Bench, sim: str, elf: str, gdb: str) -> None:
    with simulator(sim, elf, options=["--quiet"]) as (process, port):
        commands = [
            f"target remote localhost:{port}",
            "break expect",
            "continue",
            "backtrace",
            "print what",
            "print passed",
            "set var passed = 1000",
            "delete",
            "watch last_cause",
            "continue",
            "backtrace",
            "delete",
            "continue",
        ]
        arguments = [a for command in commands for a in ("-ex", command)]
        done = subprocess.run(
            [gdb, "-nx", "-batch", "-ex", "set confirm off", *arguments, elf],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
    text = done.stdout + done.stderr
    for pattern in (
        r"Breakpoint 1[.\d]*, expect",
        r"#0 +expect .*\n#1 .*test_bus_errors .*\n#2 +main \(\)",
        r'\$1 = 0x[0-9a-f]+ "load from 0"',
        r"\$2 = 0\n",
        r"Hardware watchpoint 2: last_cause[^$]*Old value = 5\nNew value = 7",
        r"#0 +(0x\w+ in )?trap .*\n",
        r"exited normally",
    ):
        bench.check(f"gdb says {pattern!r}:\n{text}", re.search(pattern, text) is not None)
    bench.check(
        f"the variable was written: {process.said}",
        re.search(r"^10\d\d passed, 0 failed", process.said) is not None,
    )
