# SPDX-License-Identifier: Apache-2.0
"""cuda_stubs.py TORCH_LIB OUT: writes libraries in place of the CUDA libraries that PyTorch's wheel is linked against.

PyPI's wheel for Linux does not load without them, and they are 5 GB. The CPU part calls none of their functions except
to register the wheel's GPU code and to count GPUs. Each library that is written has the name and the symbols that the
wheel asks for. Its functions report that there is no GPU."""

import pathlib
import re
import subprocess
import sys

NO_DEVICE = 100  # cudaErrorNoDevice
OWN = {
    "__cudaRegisterFatBinary": "void **__cudaRegisterFatBinary(void) { static void *handle; return &handle; }",
    "cudaGetDeviceCount": f"int cudaGetDeviceCount(int *n) {{ *n = 0; return {NO_DEVICE}; }}",
    "cudaGetErrorString": 'const char *cudaGetErrorString(void) { return "no CUDA"; }',
    "cudaGetLastError": "int cudaGetLastError(void) { return 0; }",
    "__cudaInitModule": "int __cudaInitModule(void) { return 0; }",
}
CUDA = re.compile(r"_*(cuda|cublas|cupti|cusparse|cufft|nccl|cudnn|nvrtc|cuFile|nvshmem|cu[A-Z])")


def read(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def missing_libraries(objects):
    needed = set()
    for path in objects:
        needed |= set(
            re.findall(r"NEEDED.*\[(lib(?:cu|nccl|nv)[^]]*)\]", read("readelf", "-d", path))
        )
    return sorted(needed - {path.name for path in objects})


def undefined_symbols(objects):
    """{(name, version)}; the version is '' where there is none."""
    wanted = set()
    for path in objects:
        for line in read("nm", "-D", "--undefined-only", path).splitlines():
            name, _, version = line.split()[-1].partition("@")
            wanted.add((name, version.lstrip("@")))
    return wanted


def write_library(out, library, symbols, version):
    source = out / "stub.c"
    text = [
        OWN.get(name, f"int {name}(void) {{ return {NO_DEVICE}; }}") for name in sorted(symbols)
    ]
    source.write_text("\n".join([*text, "int fp8mac_stub;", ""]))
    command = [
        "gcc",
        "-w",
        "-shared",
        "-fPIC",
        "-o",
        out / library,
        source,
        f"-Wl,-soname,{library}",
    ]
    if version:
        names = out / "stub.map"
        names.write_text(f"{version} {{ global: {'; '.join(sorted(symbols))}; }};\n")
        command.append(f"-Wl,--version-script={names}")
    subprocess.run(command, check=True)


def main():
    folder, out = (pathlib.Path(x) for x in sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    objects = sorted(p for p in folder.glob("*.so*") if p.is_file())
    wanted = undefined_symbols(objects)
    # Symbols without a library's name as their version are in each library that has no versions.
    others = {n for n, v in wanted if CUDA.match(n) and not v.startswith("lib")}
    for library in missing_libraries(objects):
        versions = {v for _, v in wanted if v and (library.startswith(v) or v.startswith(library))}
        symbols = {n for n, v in wanted if v in versions}
        if not versions:
            symbols = others
        write_library(out, library, symbols, max(versions, default=""))


if __name__ == "__main__":
    main()
