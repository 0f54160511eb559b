# SPDX-License-Identifier: Apache-2.0
"""What Sphinx is told; build_docs.py starts it, and gives it the release."""

from docutils import nodes
from pygments.lexers.shell import BashLexer
from pygments.token import Error
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

project = "fp8mac"
author = "the authors of fp8mac"
extensions = ["myst_parser"]
root_doc = "index"
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["static"]
html_css_files = ["fp8mac.css"]
SHELL = BashLexer()
# Every reference has a target but those to the languages and to other packages.
nitpicky = True
nitpick_ignore_regex = [
    ("c:identifier", r"(u?int(8|16|32|64)|size|ptrdiff|uintptr)_t|FILE|va_list|[A-Z0-9_]+"),
    ("py:class", r"(?!fp8mac).*"),
]
toc_object_entries = False


class ShellBlocks(SphinxTransform):
    """A block that is indented, in Markdown, has no language. It is shell commands, if it can be."""

    default_priority = 200

    def apply(self, **_: object) -> None:
        for node in self.document.findall(nodes.literal_block):
            if node.get("language", "default") in ("default", "none"):
                tokens = SHELL.get_tokens(node.astext())
                node["language"] = "text" if any(kind is Error for kind, _ in tokens) else "sh"


def setup(app: Sphinx) -> None:
    app.add_transform(ShellBlocks)
