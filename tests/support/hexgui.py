"""Drives a real HexGui on a virtual screen: presses buttons, reads the screen and the traffic."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Self

import gtp_tee
import numpy as np
from gtp_tee import Traffic

from trivalent.core.board import column_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from gtp_tee import Exchange
    from numpy.typing import NDArray

PROGRAMS = ("java", "Xvfb", "openbox", "xdotool", "import")
"""Programs that must be on the path."""

PATIENCE = 60.0
"""Seconds after which a wait fails."""

_TOOLBAR = 66  # y coordinate of the buttons, in pixels
_BUTTONS = {
    "new": 38,
    "load": 72,
    "setup black": 150,
    "setup white": 184,
    "start": 228,
    "back": 296,
    "forward": 330,
    "end": 398,
    "up": 442,
    "down": 476,
    "swap": 519,
    "play": 563,
    "stop": 598,
    "to move": 643,
    "hint": 690,
    "solve": 723,
    "options": 757,
}
_PANEL = (slice(92, 584), slice(9, 751))  # rows and columns of the screen with the board
_PROBES = ((380, 240), (310, 420), (450, 420))  # points on every board of more than a few cells

_KEYS: dict[str, dict[str, tuple[str, ...]]] = {
    "0.10": {"other size": ("alt+e", "b", "o"), "analyze": ("alt+v", "a")},
    "0.9": {
        "other size": ("alt+e", "Right", "Up", "Return"),
        "analyze": ("alt+v", "Down", "Down", "Return"),
    },
}

Place = tuple[int, int]
"""Column and row of a cell, from 0."""


class Screen:
    """A virtual screen with a window manager, which dialogs and focus depend on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Self:
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._server.stdout
        self.environment = {**os.environ, "DISPLAY": f":{self._server.stdout.readline().strip()}"}
        self._manager = subprocess.Popen(
            ["openbox"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(0.5)
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self._manager, self._server):
            process.terminate()
            process.wait()
            if process.stdout:
                process.stdout.close()

    def xdotool(self, *words: object) -> str:
        """Run xdotool, which controls mouse, keyboard and windows; return its output."""
        done = subprocess.run(
            ["xdotool", *map(str, words)],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    def click(self, x: float, y: float, *, times: int = 1, keys: Sequence[str] = ()) -> None:
        """Click at a point of the screen, with keys held down."""
        down = [word for key in keys for word in ("keydown", key)]
        up = [word for key in keys for word in ("keyup", key)]
        repeat = ("--repeat", times, "--delay", 60)
        self.xdotool("mousemove", round(x), round(y), *down, "click", *repeat, 1, *up)
        time.sleep(0.3)

    def key(self, *keys: str) -> None:
        """Press keys, slowly enough for menus to open."""
        for key in keys:
            self.xdotool("key", key)
            time.sleep(0.35)

    def type(self, text: str) -> None:
        """Type a line."""
        self.xdotool("type", "--delay", 4, text)
        self.key("Return")

    def windows(self) -> dict[str, str]:
        """Return the ids of all windows by title."""
        numbers = self.xdotool("search", "--onlyvisible", "--name", ".").split()
        named = {self.xdotool("getwindowname", number).strip(): number for number in numbers}
        return {
            name: number
            for name, number in named.items()
            if name not in ("Content window", "FocusProxy", "Openbox", "")
        }

    def close(self, number: str) -> None:
        """Close a window as a user would."""
        self.xdotool("windowactivate", "--sync", number)
        self.key("alt+F4")

    def place(self, title: str, x: int, y: int, width: int, height: int) -> None:
        """Move and resize a window."""
        number = self.windows()[title]
        self.xdotool("windowsize", number, width, height, "windowmove", number, x, y)
        time.sleep(0.5)

    def picture(self) -> NDArray[np.int16]:
        """Return the screen: rows, columns, red-green-blue 0 to 255."""
        done = subprocess.run(
            ["import", "-silent", "-window", "root", "-depth", "8", "rgb:-"],
            env=self.environment,
            capture_output=True,
            check=True,
        )
        return np.frombuffer(done.stdout, np.uint8).reshape(1000, 1600, 3).astype(np.int16)

    def save(self, name: str) -> None:
        """Save a screenshot in the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{name}.png"
        command = ["import", "-silent", "-window", "root", str(path)]
        subprocess.run(command, env=self.environment, check=True)


class Lattice:
    """The affine map from cells to points of the screen, found by clicking."""

    def __init__(self, seen: dict[Place, tuple[float, float]]) -> None:
        cells = np.array([(1, *cell) for cell in seen], float)
        self._map = np.linalg.lstsq(cells, np.array(list(seen.values())), rcond=None)[0]

    def at(self, cell: Place) -> tuple[float, float]:
        """Return the centre of a cell on the screen, in pixels."""
        x, y = np.array((1, *cell), float) @ self._map
        return float(x), float(y)

    @property
    def pitch(self) -> float:
        """The distance of two neighbours, in pixels."""
        return float(np.linalg.norm(self._map[1]))


def parse(name: str) -> Place:
    """Return the place of a cell; see `name_of`."""
    match = re.fullmatch(r"([a-z]+)([0-9]+)", name)
    assert match, name
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 96
    return column - 1, int(match[2]) - 1


def name_of(cell: Place) -> str:
    """Return the name of a cell."""
    return f"{column_name(cell[0])}{cell[1] + 1}"


class HexGui:
    """A HexGui with an engine attached."""

    def __init__(
        self,
        screen: Screen,
        jar: Path,
        engine: Sequence[str],
        folder: Path,
        *,
        size: tuple[int, int] = (11, 11),
        auto_respond: bool = False,
        game: str = "hex",
        version: str = "0.10",
        lattices: dict[tuple[int, int], Lattice] | None = None,
    ) -> None:
        self.screen = screen
        self.size = size
        self.game = game
        self.version = version
        self.folder = folder
        self._jar = jar
        self._engine = engine
        self._preferences = {
            "gui-board-width": str(size[0]),
            "gui-board-height": str(size[1]),
            "auto-respond": str(auto_respond).lower(),
            "shell-show-on-connect": "true",
            "gui-board-type": "Y" if game == "y" else "Flat",  # used by 0.9 only
        }
        self.lattices = {} if lattices is None else lattices
        self._log = folder / "traffic"
        self.traffic = Traffic(self._log)
        self._console = folder / "console"
        self.expected = {"Shell"}
        """Titles, or parts of them, of the windows that should be open besides the main one."""

    def __enter__(self) -> Self:
        node = self.folder / ".java" / ".userPrefs" / "hexgui" / "gui"
        node.mkdir(parents=True)
        entries = "".join(f'<entry key="{k}" value="{v}"/>' for k, v in self._preferences.items())
        (node / "prefs.xml").write_text(
            '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
            '<!DOCTYPE map SYSTEM "http://java.sun.com/dtd/preferences.dtd">\n'
            f'<map MAP_XML_VERSION="1.0">{entries}</map>\n'
        )
        engine = " ".join(
            f'"{word}"'
            for word in (sys.executable, gtp_tee.__file__, str(self._log), *self._engine)
        )
        with self._console.open("wb") as console:
            self._process = subprocess.Popen(
                [
                    "java",
                    f"-Djava.util.prefs.userRoot={self.folder}",
                    f"-Djava.util.prefs.systemRoot={self.folder}",
                    *("-cp", str(self._jar), "hexgui.Main"),
                    *("-program", engine),
                ],
                env=self.screen.environment,
                stdout=console,
                stderr=subprocess.STDOUT,
            )
        self.wait(lambda: any(e.command == "showboard" for e in self.traffic.exchanges()))
        self.idle()
        self.place_shell()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind:
            self.screen.save(f"failed-{self.folder.parent.name}")
        self._process.terminate()
        self._process.wait()

    def place_shell(self) -> None:
        """Wait for the shell window and move it beside the main window."""
        self.wait(lambda: any("Shell" in name for name in self.screen.windows()))
        time.sleep(1)  # until the window manager has placed it
        self.screen.place(self._title("Shell"), 920, 0, 400, 600)

    def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, self.exchanges()[-2:]
            assert self._process.poll() is None, self._console.read_text()
            time.sleep(0.1)

    def idle(self) -> None:
        """Wait until every command has its reply and no more are sent."""
        before = -1
        while (size := self._log.stat().st_size) != before or not self.exchanges()[-1].complete:
            before = size
            time.sleep(0.4)

    def exchanges(self) -> list[Exchange]:
        """Return all exchanges so far."""
        return self.traffic.exchanges()

    def since(self, count: int) -> list[str]:
        """Wait until idle; return the commands after the first ``count``."""
        self.idle()
        return [exchange.command for exchange in self.exchanges()[count:]]

    def sent(self, action: Callable[[], object]) -> list[str]:
        """Return the commands that an action makes HexGui send, except `showboard`."""
        count = len(self.exchanges())
        action()
        end = time.monotonic() + 2  # a busy machine needs a while to send anything
        while len(self.exchanges()) == count and time.monotonic() < end:
            time.sleep(0.1)
        return [command for command in self.since(count) if command != "showboard"]

    def _title(self, part: str) -> str:
        return next(name for name in self.screen.windows() if part in name)

    def focus(self) -> None:
        """Bring the main window to the front."""
        main = next(n for name, n in self.screen.windows().items() if name.startswith("HexGui 0."))
        self.screen.xdotool("windowactivate", "--sync", main)
        time.sleep(0.2)

    def press(self, button: str) -> None:
        """Press a button of the toolbar."""
        self.screen.click(_BUTTONS[button], _TOOLBAR)

    def click(self, name: str) -> None:
        """Click on a cell."""
        self.screen.click(*self.lattices[self.size].at(parse(name)))

    def select(self, *names: str) -> None:
        """Select cells for the analyze dialog."""
        keys = ["ctrl"]
        for name in names:
            self.screen.click(*self.lattices[self.size].at(parse(name)), keys=keys)
            keys = ["ctrl", "shift"]

    def shell(self, line: str) -> Exchange:
        """Send a line from the shell window."""
        count = len(self.exchanges())
        self.screen.click(1100, 609)
        self.screen.type(line)
        self.wait(lambda: len(self.exchanges()) > count)
        self.idle()
        self.focus()
        return self.exchanges()[count]

    def menu(self, *keys: str) -> None:
        """Choose an entry of a menu by its letters."""
        self.focus()
        self.screen.key(*keys)
        time.sleep(0.4)

    def resize(self, width: int, height: int) -> None:
        """Choose another board size in the menu."""
        self.menu(*_KEYS[self.version]["other size"])
        self.discard()
        time.sleep(0.4)
        self.screen.key("ctrl+a")
        self.screen.type(f"{width} x {height}")
        self.size = width, height

    def open_analyze(self) -> list[tuple[str, str, str]]:
        """Open the analyze dialog; return its entries: type, label, command."""
        self.menu(*_KEYS[self.version]["analyze"])
        self.wait(lambda: "Analyze" in self.screen.windows())
        self.screen.place("Analyze", 1325, 0, 270, 960)
        self.expected.add("Analyze")
        listed = next(e for e in self.exchanges() if e.command == "hexgui-analyze_commands")
        entries = []
        for line in listed.text.split("\n"):
            kind, label, command = line.split("/")
            entries.append((kind, label, command))
        return entries

    def analyze(self, row: int, file: Path | None) -> list[Exchange]:
        """Run an entry of the analyze dialog; type a file name if it needs one."""
        count = len(self.exchanges())
        self.screen.click(1400, 29 + 17 * row, times=2)
        if file:
            time.sleep(1)
            self.screen.type(str(file))
        self.idle()
        return self.exchanges()[count:]

    def discard(self) -> None:
        """Answer no if HexGui asks whether to save the game."""
        time.sleep(0.4)
        if "Save Game?" in self.screen.windows():
            self.screen.key("Tab", "space")

    def load(self, path: Path, size: tuple[int, int]) -> None:
        """Load a game."""
        self.press("load")
        self.discard()
        time.sleep(0.5)
        self.screen.type(str(path))
        self.size = size
        time.sleep(0.5)
        self.idle()

    def new_game(self) -> None:
        """Start again on the same board."""
        self.press("new")
        self.discard()
        self.idle()

    def cells(self) -> Iterable[Place]:
        """Return the cells of the board."""
        width, height = self.size
        return ((x, y) for y in range(height) for x in range(width) if self.game == "hex" or x <= y)

    def calibrate(self) -> None:
        """Find out where the cells are, on an empty board and without automatic replies."""
        empty = self.screen.picture()
        seen: dict[Place, tuple[float, float]] = {}
        for probe in _PROBES:
            self._probe(probe, empty, seen)
        lattice = Lattice(seen)
        cells = list(self.cells())
        for cell in (cells[0], cells[-1], (0, self.size[1] - 1)):
            self._probe(lattice.at(cell), empty, seen)
        self.lattices[self.size] = Lattice(seen)

    def _probe(
        self,
        place: tuple[float, float],
        empty: NDArray[np.int16],
        seen: dict[Place, tuple[float, float]],
    ) -> None:
        (play,) = self.sent(lambda: self.screen.click(*place))
        changed = np.abs(self.screen.picture() - empty)[_PANEL].max(axis=2) > 60
        rows, columns = (np.flatnonzero(changed.any(axis=axis)) for axis in (1, 0))
        seen[parse(play.split()[2])] = (
            _PANEL[1].start + (columns[0] + columns[-1]) / 2,
            _PANEL[0].start + (rows[0] + rows[-1]) / 2,
        )
        assert self.sent(lambda: self.press("back")) == ["undo"]

    def stones(self) -> dict[str, str]:
        """Return the stones on the screen: B or W by cell name."""
        picture = self.screen.picture()
        lattice = self.lattices[self.size]
        reach = lattice.pitch / 5
        found = {}
        for cell in self.cells():
            x, y = lattice.at(cell)
            signs = [
                _sign(picture[round(y + dy * reach), round(x + dx * reach)])
                for dx, dy in ((-1, 0), (1, 0), (0, 1), (-0.7, 0.7), (0.7, 0.7))
            ]
            sign = max(set(signs), key=signs.count)
            if sign != ".":
                found[name_of(cell)] = sign
        return found

    def engine_stones(self) -> dict[str, str]:
        """Return the stones on the engine's board."""
        found = {}
        for line in self.shell("showboard").text.split("\n"):
            if match := re.fullmatch(r" *([0-9]+) ((?:[.BW] *)+)(?: *\1)?", line):
                for x, sign in enumerate(re.findall("[.BW]", match[2])):
                    if sign != ".":
                        found[name_of((x, int(match[1]) - 1))] = sign
        return found

    def check(self) -> None:
        """Assert that engine and screen show the same stones and that HexGui reports no error."""
        self.idle()
        wanted = self.engine_stones()  # the shell's command runs after all earlier ones
        assert self.stones() == wanted
        self.check_windows()
        assert not self.complaints()

    @property
    def known(self) -> set[str]:
        """The ids of the expected windows."""
        return {
            number
            for title, number in self.screen.windows().items()
            if title.startswith("HexGui 0.") or any(part in title for part in self.expected)
        }

    def complaints(self) -> list[str]:
        """Return the errors on HexGui's console, except refused commands."""
        return [
            line
            for line in self._console.read_text().splitlines()
            if re.search("exception|error|invalid|caught", line, re.IGNORECASE)
            and not line.startswith("controller: error: ")
        ]

    def check_windows(self) -> None:
        """Assert that only the expected windows are open."""
        titles = [name for name in self.screen.windows() if not name.startswith("HexGui 0.")]
        assert len(titles) == len(self.expected), titles
        assert all(any(part in title for title in titles) for part in self.expected), titles


def _sign(pixel: NDArray[np.int16]) -> str:
    if pixel.max() < 110:
        return "B"
    return "W" if pixel.min() > 170 and pixel.max() - pixel.min() < 35 else "."


def missing(*programs: str) -> list[str]:
    """Return the programs that are not on the path."""
    return [program for program in programs if not shutil.which(program)]
