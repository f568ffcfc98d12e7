"""Settings of Sphinx for the book."""

from shared import MANIFEST

project = "quaff"
author = "the authors of quaff"
release = version = MANIFEST["version"]
html_title = f"quaff {version}"

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
# anchors of headings have the same names as on GitHub
myst_heading_anchors = 6
# `--option` and quotes are not changed to typographic characters
smartquotes = False
highlight_language = "text"
# no warning for code in a language without a highlighter. No warning for a type name such as `Stats` that several modules have
suppress_warnings = ["misc.highlighting_failure", "ref.python"]
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
