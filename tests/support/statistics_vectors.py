"""Results of other programs, and worked examples, that the statistics must reproduce."""

from __future__ import annotations

import json
from typing import Any

from places import DATA

_FILE = DATA / "statistics.json"
VECTORS: dict[str, Any] = json.loads(_FILE.read_text("utf-8"))
