"""Results that a notebook shows as an HTML page."""

from __future__ import annotations

from typing import Any


class Shown(dict[str, Any]):
    """A dict that a notebook shows as the HTML page in its item ``html``."""

    def _repr_html_(self) -> str:
        html: str = self["html"]
        return html
