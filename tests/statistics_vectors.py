"""Numbers of other programs, and worked examples, that the statistics must give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "data" / "statistics.json"
VECTORS: dict[str, Any] = json.loads(_FILE.read_text("utf-8"))
