"""Progress bars at a terminal, which others print to as well."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from trivalent.tools.common.progress_display import ProgressDisplay

if TYPE_CHECKING:
    import pytest

ERASE_LINE = "\x1b[2K"


class Terminal(StringIO):
    """A text that takes itself for a terminal."""

    def isatty(self) -> bool:
        """Pretend."""
        return True


def test_a_bar_makes_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    with ProgressDisplay(terminal).bar("working", 10) as bar:
        bar.update(5, note="half")
        with bar.hidden():
            terminal.write("a result\n")
        assert "working" in terminal.getvalue().partition("a result\n")[2]
    before = terminal.getvalue().partition("a result\n")[0]
    assert before.rindex(ERASE_LINE) > before.rindex("working")


def test_there_is_no_bar_in_a_file() -> None:
    file = StringIO()
    with ProgressDisplay(file).bar("working", 10) as bar:
        bar.update(5, note="half")
        with bar.hidden():
            file.write("a result\n")
    assert file.getvalue() == "a result\n"
