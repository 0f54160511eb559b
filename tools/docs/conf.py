# SPDX-License-Identifier: Apache-2.0
"""What Sphinx is told; build_docs.py starts it, and gives it the release."""

import re
from pathlib import Path

from docutils import nodes
from pygments.lexers.shell import BashLexer
from pygments.token import Error
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

project = "fp8mac"
author = "the authors of fp8mac"
extensions = ["myst_parser"]
root_doc = "index"
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
html_theme = "furo"
html_css_files = ["fp8mac.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["static"]
SHELL = BashLexer()
LINKED = re.compile(
    r"(?:[\w/]*/)?(?:(fp8mac_\w+)\.sv|(fp8(?:mac|rt)/\w+\.h|fp8(?:mac|rt)[._][\w.]+)(?:\(\))?)$"
)
MUCH = 50  # characters of a cell
# Every reference has a target but those to the languages and to other packages.
nitpicky = True
smartquotes = False
nitpick_ignore_regex = [
    ("c:identifier", r"(u?int(8|16|32|64)|size|ptrdiff|uintptr)_t|FILE|va_list|[A-Z0-9_]+"),
    ("py:class", r"(?!fp8mac).*"),
]
toc_object_entries_show_parents = "hide"


class ShellBlocks(SphinxTransform):
    """A block that is indented, in Markdown, has no language. It is shell commands, if it can be."""

    default_priority = 200

    def apply(self, **_: object) -> None:
        for node in self.document.findall(nodes.literal_block):
            if node.get("language", "default") in ("default", "none"):
                tokens = SHELL.get_tokens(node.astext())
                node["language"] = "text" if any(kind is Error for kind, _ in tokens) else "sh"


class LinkedNames(SphinxPostTransform):
    """A code span that names what the reference describes is a link to it.

    That is a definition in C or Python, a header, or a module of the RTL or its file.
    """

    default_priority = 5

    def places(self) -> dict[str, tuple[str, str]]:
        """Of each name the page and the place on it."""
        if not hasattr(self.env, "fp8mac_places"):
            domains = self.env.domains
            labels = domains.standard_domain.anonlabels
            found = {
                name.removeprefix("rtl-"): place
                for name, place in labels.items()
                if name.startswith("rtl-")
            }
            for domain in (domains["c"], domains.python_domain):
                found |= {name: (doc, at) for name, _, _, doc, at, _ in domain.get_objects()}
            for doc in self.env.found_docs:
                if match := re.match(r"reference/c/(\w+?)-(\w+)$", doc):
                    found[f"{match[1]}/{match[2]}.h"] = (doc, "")
            self.env.fp8mac_places = found
        return self.env.fp8mac_places

    def run(self, **_: object) -> None:
        places = self.places()
        for node in list(self.document.findall(nodes.literal)):
            match = LINKED.match(node.astext())
            place = places.get(match[1] or match[2]) if match else None
            if place is None or isinstance(node.parent, (nodes.reference, pending_xref)):
                continue
            if match[1] and place[0] == self.env.current_document.docname:
                continue  # the file's name below a module's heading
            link = make_refnode(
                self.app.builder, self.env.current_document.docname, *place, node.deepcopy()
            )
            node.replace_self(link)


class WideCells(SphinxTransform):
    """Cells with much text, to which fp8mac.css gives room on a narrow screen."""

    default_priority = 800

    def apply(self, **_: object) -> None:
        for node in self.document.findall(nodes.entry):
            if len(node.astext()) > MUCH:
                node["classes"].append("much-text")


def setup(app: Sphinx) -> None:
    # Another text of this file makes Sphinx read all pages again.
    app.add_config_value("fp8mac_conf", Path(__file__).read_text(), "env")
    app.add_transform(ShellBlocks)
    app.add_transform(WideCells)
    app.add_post_transform(LinkedNames)
