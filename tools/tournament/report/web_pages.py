"""Pages for browsers: single self-contained files, made from a template, a style and a script.

The template escapes everything, and the page's content security policy allows only its own script
and style.  The data for the script is compressed; the script must write it as text, never as
markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivalent.tools.pictures.board_pictures import picture

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trivalent.core.board import Board


def missing() -> str:
    """Return what must be installed to write pages, or an empty string."""
    try:
        import jinja2  # noqa: F401
    except ImportError:
        return "--html needs jinja2: pip install 'trivalent[report]'"
    return ""


def render(
    template: Path,
    *,
    style: str,
    script: str,
    data: object,
    filters: Mapping[str, Callable[..., object]] | None = None,
    **values: object,
) -> str:
    """Return a page as HTML.

    The template gets the values, and besides them `style`, `script` and their hashes, and `data`,
    packed for the script, which comes after page.js.  Style and script must not close their
    elements.
    """
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template.parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= filters or {}
    script = Path(__file__).with_name("page.js").read_text("utf-8") + script
    html: str = environment.get_template(template.name).render(
        **values,
        style=Markup(style),  # noqa: S704  our own file
        script=Markup(script),  # noqa: S704  our own file
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=_packed(data),
    )
    return html


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _packed(value: object) -> str:
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def board_data(board: Board) -> dict[str, Any]:
    """Return what a script needs to draw a board and to follow the moves on it."""
    drawn = picture(board)
    return {
        "game": board.game,
        "width": round(drawn.width, 1),
        "height": round(drawn.height, 1),
        "centres": [[[round(x, 2), round(y, 2)] for x, y in c] for c in drawn.centres],
        "outlines": drawn.outlines,
        "edges": drawn.edges,
        "labels": [[round(x, 1), round(y, 1), text] for x, y, text in drawn.labels],
        "inside": [[round(x, 1), round(y, 1), text] for x, y, text in drawn.names],
        "names": board.names,
        "swap": board.swap_map,
    }
