# SPDX-License-Identifier: Apache-2.0
"""build_docs.py --out FOLDER --registers FOLDER: the HTML documentation.

The pages in Markdown, the C interfaces (public headers), the RTL (parameters and ports of every module), and the
register map that PeakRDL made. The text of interfaces and modules is the comments that stand with them in the source.
"""

import argparse
import html
import re
import shutil
from pathlib import Path

import markdown

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/ARCHITECTURE.md",
    "docs/CYCLES.md",
    "docs/DECISIONS.md",
    "docs/FEATURES.md",
    "docs/FIGURES.md",
    "docs/GLOSSARY.md",
    "docs/HOWTO.md",
    "docs/NETWORKS.md",
    "docs/PLAN.md",
    "docs/PORTING.md",
    "docs/INTEGRATION.md",
    "docs/RECIPES.md",
    "docs/TUTORIAL.md",
    "firmware/fp8net/README.md",
    "model/NUMERICS.md",
    "model/SPEED.md",
    "model/python/README.md",
    "synth/AREA.md",
    "tests/README.md",
    "synth/AREA_FIGURES.md",
    "synth/ENERGY.md",
    *(f"examples/{name}/README.md" for name in ("c", "python", "fashion", "soc", "cocotb")),
)
HEADERS = ("model/include/fp8mac", "firmware/include/fp8rt")
NAVIGATION = (
    ("README", "README.html"),
    ("Architecture", "docs/ARCHITECTURE.html"),
    ("How to", "docs/HOWTO.html"),
    ("Tutorial", "docs/TUTORIAL.html"),
    ("C interfaces", "c.html"),
    ("RTL modules", "rtl.html"),
    ("Registers", "registers/index.html"),
    ("Numerics", "model/NUMERICS.html"),
    ("Area", "synth/AREA.html"),
    ("Cycles", "docs/CYCLES.html"),
    ("Decisions", "docs/DECISIONS.html"),
    ("Porting", "docs/PORTING.html"),
    ("Integration", "docs/INTEGRATION.html"),
    ("Figures", "docs/FIGURES.html"),
    ("Glossary", "docs/GLOSSARY.html"),
    ("Contributing", "CONTRIBUTING.html"),
    ("Changelog", "CHANGELOG.html"),
)
STYLE = """body { max-width: 62em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 sans-serif }
nav a { margin-right: 1em } table { border-collapse: collapse } td, th { border: 1px solid #bbb; padding: .2em .6em }
pre { background: #f4f4f4; padding: .6em; overflow-x: auto } code { font-size: 90% } img { max-width: 100% }"""


def page(title: str, body: str, path: str) -> str:
    up = "../" * path.count("/")
    links = " ".join(f'<a href="{up}{target}">{name}</a>' for name, target in NAVIGATION)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style></head><body><nav>{links}</nav>\n{body}\n</body></html>\n"
    )


def write(out: Path, path: str, title: str, body: str) -> None:
    target = out / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(title, body, path))


def convert_links(body: str, source: Path, out: Path) -> str:
    """Links between pages go to their HTML; another file of the repository is copied beside them."""

    def convert(match: re.Match) -> str:
        attribute, target = match[1], match[2]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        file, hash_, fragment = target.partition("#")
        path = (source.parent / file).resolve()
        name = str(path.relative_to(ROOT))
        if name in PAGES:
            return f'{attribute}="{file.removesuffix(".md")}.html{hash_}{fragment}"'
        if path.is_file():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, out / name)
        return match[0]

    return re.sub(r'(href|src)="([^"]*)"', convert, body)


def build_pages(out: Path) -> None:
    for name in PAGES:
        source = ROOT / name
        body = markdown.markdown(source.read_text(), extensions=["tables", "toc", "fenced_code"])
        title = source.read_text().split("\n", 1)[0].lstrip("# ")
        write(out, name.removesuffix(".md") + ".html", title, convert_links(body, source, out))
    (out / "index.html").write_text((out / "README.html").read_text())


def prose(lines: list[str]) -> str:
    text = "\n".join(lines).strip("\n")
    return f"<pre>{html.escape(text)}</pre>" if text else ""


def build_c(out: Path) -> None:
    """A header is a row of blocks between empty lines: comments, then the declarations that they describe."""
    files = [p for folder in HEADERS for p in sorted((ROOT / folder).glob("*.h"))]
    names = [f"{path.parent.name}/{path.name}" for path in files]
    body = "<h1>C interfaces</h1><ul>"
    body += "".join(f'<li><a href="#{name}">{name}</a></li>' for name in names) + "</ul>"
    skip = re.compile(r"#(ifn?def|endif|include|define FP8\w+_H$)|// SPDX|extern \"C\" {$")
    for path, name in zip(files, names, strict=True):
        body += f'<h2 id="{name}">{name}</h2>'
        text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", path.read_text(), flags=re.S)
        for block in re.split(r"\n\s*\n", text):
            body += prose([line for line in block.split("\n") if not skip.match(line)])
    write(out, "c.html", "fp8mac: C interfaces", body)


PARAMETER = re.compile(
    r"\s*(parameter|localparam)\s+(.*?)\s*\b(\w+)\s*(?:\[[^\]]*\]\s*)?=\s*(.*?),?\s*(?://\s*(.*))?$"
)
PORT = re.compile(r"\s*(input|output)\s+(.*?)\s*\b(\w+)(?:\s*\[[^\]]*\])?\s*,?\s*(?://\s*(.*))?$")


def table(kind: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    cells = "".join(f"<th>{name}</th>" for name in head)
    for row in rows:
        values = "".join(f"<td>{html.escape(value or '')}</td>" for value in row)
        cells += f'</tr><tr class="{kind}">{values}'
    return f"<table><tr>{cells}</tr></table>"


def module_of(path: Path) -> tuple[str, str] | None:
    """Name and HTML of the module in a file; None for a package."""
    lines = path.read_text().split("\n")
    start = next((i for i, line in enumerate(lines) if re.match(r"module \w+", line)), None)
    if start is None:
        return None
    end = next(i for i in range(start, len(lines)) if lines[i].rstrip().endswith(");"))
    name = re.match(r"module (\w+)", lines[start])[1]
    head = [
        line.removeprefix("//").removeprefix(" ")
        for line in lines[1:start]
        if line.startswith("//")
    ]
    parameters, ports, above = [], [], ""
    for line in lines[start:end]:
        comment = re.match(r"\s*//\s*(.*)", line)
        parameter, port = PARAMETER.match(line), PORT.match(line)
        if parameter:
            kind, type_, label, value, text = parameter.groups()
            parameters.append(
                (label, type_, value, "derived" if kind == "localparam" else "", text)
            )
        elif port:
            direction, type_, label, text = port.groups()
            ports.append((label, direction, type_, text or above))
        above = comment[1] if comment else (above if port else "")
    body = f'<h3 id="{name}">{name}</h3><p><code>{path.relative_to(ROOT)}</code></p>{prose(head)}'
    body += table("parameter", ("parameter", "type", "default", "", ""), parameters)
    body += table("port", ("port", "direction", "type", ""), ports)
    return name, body


def build_rtl(out: Path) -> None:
    body, index = "", ""
    folders = sorted({path.parent for path in (ROOT / "rtl").rglob("*.sv")})
    for folder in folders:
        modules = [m for m in map(module_of, sorted(folder.glob("*.sv"))) if m]
        if not modules or folder.name == "behavioural":
            continue
        label = folder.relative_to(ROOT)
        links = ", ".join(f'<a href="#{name}">{name}</a>' for name, _ in modules)
        index += f"<tr><td>{label}</td><td>{links}</td></tr>"
        body += f"<h2>{label}</h2>" + "".join(text for _, text in modules)
    write(
        out, "rtl.html", "fp8mac: RTL modules", f"<h1>RTL modules</h1><table>{index}</table>{body}"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--registers", type=Path, required=True)
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    build_pages(options.out)
    build_c(options.out)
    build_rtl(options.out)
    shutil.copytree(options.registers, options.out / "registers")


if __name__ == "__main__":
    main()
