"""A stand-in for KataHex: speaks GTP as KataHex does, and plays random moves.

It refuses what KataHex refuses: unknown commands, occupied cells, and a `time_left` that does not
match the clock.  It has no swap, does not notice the end of a game, and writes to standard error
while it starts.
"""

import random
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Clock(NamedTuple):
    """The kind of clock that was set."""

    fischer: bool = False
    overtime: bool = False


class Refusal(Exception):  # noqa: N818
    """A refused command; the message is the reply."""


class Engine:
    """The board, the clock and the random generator."""

    def __init__(self) -> None:
        self.width = self.height = 11
        self.taken: set[tuple[int, int]] = set()
        self.clock = Clock()
        self.random = random.Random()

    def obey(self, command: str, words: list[str]) -> str:
        """Run a command and return its answer.  Raise Refusal to refuse it."""
        known: dict[str, Callable[..., str]] = {
            "name": self.name,
            "version": self.version,
            "boardsize": self.boardsize,
            "clear_board": self.clear_board,
            "play": self.play,
            "genmove": self.genmove,
            "time_settings": self.time_settings,
            "kata-time_settings": self.kata_time_settings,
            "time_left": self.time_left,
        }
        if command not in known:
            raise Refusal("unknown command")
        try:
            return known[command](*words)
        except (TypeError, ValueError):
            raise Refusal(f"Could not parse {command} {' '.join(words)}") from None

    def name(self) -> str:
        return "KataHex"

    def version(self) -> str:
        return "1.10.0"

    def boardsize(self, width: str, height: str = "") -> str:
        self.width, self.height = int(width), int(height or width)
        return self.clear_board()

    def clear_board(self) -> str:
        self.taken.clear()
        return ""

    def play(self, colour: str, vertex: str) -> str:
        self._require_colour(colour)
        if vertex.lower() in ("pass", "pss"):
            return ""
        match = re.fullmatch(r"([a-z])([0-9]+)", vertex.lower())
        if not match:
            raise Refusal(f"Could not parse vertex: '{vertex}'")
        cell = ord(match[1]) - ord("a"), int(match[2]) - 1
        if cell in self.taken or cell not in self._cells():
            raise Refusal("illegal move")
        self.taken.add(cell)
        return ""

    def genmove(self, colour: str) -> str:
        self._require_colour(colour)
        free = [cell for cell in self._cells() if cell not in self.taken]
        if not free:
            return "pass"
        if len(free) < self.width * self.height // 3 and self.random.random() < 0.1:
            return "resign"
        x, y = self.random.choice(free)
        self.taken.add((x, y))
        sys.stderr.write(f"CHAT:Visits 500 Winrate 50% PV {x},{y}\n")
        return f"{chr(97 + x)}{y + 1}"

    def time_settings(self, main: str, period: str, stones: str) -> str:
        float(main)
        self.clock = Clock(overtime=float(period) > 0 and int(stones) > 0)
        return ""

    def kata_time_settings(self, what: str, *numbers: str) -> str:
        if what != "fischer" or [float(number) < 0 for number in numbers] != [False, False]:
            raise Refusal(f"unknown clock {what}")
        self.clock = Clock(fischer=True)
        return ""

    def time_left(self, colour: str, seconds: str, stones: str) -> str:
        self._require_colour(colour)
        if not 0 <= float(seconds) < 1e7:
            raise Refusal("invalid time")
        if int(stones) > 0 and not self.clock.overtime:
            raise Refusal("stones left in period is > 0 but there are no overtime periods")
        return ""

    def _cells(self) -> list[tuple[int, int]]:
        return [(x, y) for y in range(self.height) for x in range(self.width)]

    def _require_colour(self, colour: str) -> None:
        if colour.lower() not in ("b", "w", "black", "white"):
            raise Refusal(f"Could not parse color: '{colour}'")


def main() -> None:
    """Answer commands until the input ends."""
    sys.stderr.write(
        "KataHex v1.10.0\nLoaded neural net\nGTP ready, beginning main protocol loop\n"
    )
    engine = Engine()
    for line in sys.stdin:
        number = line[: len(line) - len(line.lstrip("0123456789"))]
        command, *words = line[len(number) :].split()
        if command == "quit":
            sys.stdout.write(f"={number} \n\n")
            break
        try:
            answer = f"={number} {engine.obey(command, words)}"
        except Refusal as why:
            answer = f"?{number} {why}"
        sys.stdout.write(f"{answer}\n\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
