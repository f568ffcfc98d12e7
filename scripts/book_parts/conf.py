"""Settings of Sphinx for the book."""

from shared import MANIFEST

project = "quaff"
author = "the authors of quaff"
release = version = MANIFEST["version"]
html_title = f"quaff {version}"

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
# headings have the names that GitHub gives them
myst_heading_anchors = 6
# `--option` and quotes are shown as they are written
smartquotes = False
highlight_language = "text"
# a language of code without a highlighter is shown without colours. A type of several modules, such as `Stats`, leads to one of them
suppress_warnings = ["misc.highlighting_failure", "ref.python"]
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
