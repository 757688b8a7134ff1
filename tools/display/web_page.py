"""Pages of one HTML file, with their style, script and data inside: they need no network.

Text from others is untrusted.  Templates escape everything, scripts write text and never markup,
and the content security policy of a page allows only its own script and style.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivalent.core import VERSION
from trivalent.tools.common.board_pictures import picture

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trivalent.core.board import Board

_FOLDER = Path(__file__).parent


def missing() -> str:
    """Return what must be installed to write pages, or an empty string."""
    try:
        import jinja2  # noqa: F401
    except ImportError:
        return "--html needs jinja2: pip install 'trivalent[report]'"
    return ""


def web_page(
    template: Path,
    data: object,
    filters: Mapping[str, Callable[..., str]],
    values: Mapping[str, Any],
) -> str:
    """Return a page as HTML.

    The template, ``NAME.html.jinja``, has ``NAME.css`` and ``NAME.js`` beside it, which come after
    the style and the script that all pages share.  The script finds the data, as JSON that `unpack`
    reads, in the element ``data``.
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
    environment.filters |= filters
    stem = template.with_name(template.name.partition(".")[0])
    style, script = (
        (_FOLDER / f"page{suffix}").read_text("utf-8") + stem.with_suffix(suffix).read_text("utf-8")
        for suffix in (".css", ".js")
    )
    html: str = environment.get_template(template.name).render(
        version=VERSION,
        # These can't close their elements: they are our own files, and base64.
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        style_hash=_hash(style),
        script_hash=_hash(script),
        data=_packed(data),
        **values,
    )
    return html


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _packed(value: object) -> str:
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def board_data(board: Board) -> dict[str, Any]:
    """Return what the script that all pages share needs to draw a board."""
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
