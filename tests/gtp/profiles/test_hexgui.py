"""The real HexGui drives the engine; after every step both must show the same board.

The tests need the jar of HexGui 0.10 in TRIVALENT_HEXGUI and that of 0.9, the only version with Y,
in TRIVALENT_HEXGUI_09.  Screenshots go to the folder TRIVALENT_SCREENSHOTS.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hexgui import PROGRAMS, HexGui, Lattice, Screen, missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., HexGui]

ENGINE = str(Path(sys.executable).parent / "trivalent")

SIZES = ((11, 11), (5, 8), (8, 5), (26, 20))

VARIATIONS = """(;FF[4]GM[11]SZ[11]AP[HexGui:0.10.GIT];B[a2];W[swap-pieces];B[d4]
(;W[d3]C[main line];B[e2];W[resign])(;W[e1];B[swap-sides];B[f6]AB[g7]AW[g8];W[k11]))
"""
DECIDED = f"(;FF[4]GM[11]SZ[11]AW[a1]{''.join(f';B[f{row}]' for row in range(1, 12))})"

pytestmark = pytest.mark.skipif(
    bool(missing(*PROGRAMS)), reason=f"not on the path: {', '.join(missing(*PROGRAMS))}"
)


def _jar(variable: str) -> Path:
    path = os.environ.get(variable)
    if not path:
        pytest.skip(f"{variable} names no HexGui")
    return Path(path)


@pytest.fixture(scope="module")
def jar() -> Path:
    return _jar("TRIVALENT_HEXGUI")


@pytest.fixture(scope="module")
def old_jar() -> Path:
    return _jar("TRIVALENT_HEXGUI_09")


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = os.environ.get("TRIVALENT_SCREENSHOTS")
    return Path(folder) if folder else tmp_path_factory.mktemp("pictures")


@pytest.fixture
def screen(pictures: Path) -> Iterator[Screen]:
    with Screen(pictures) as screen:
        yield screen


@pytest.fixture(scope="module")
def lattices() -> dict[tuple[int, int], Lattice]:
    return {}


@pytest.fixture
def start(
    jar: Path, screen: Screen, tmp_path: Path, lattices: dict[tuple[int, int], Lattice]
) -> Start:
    """A function that starts HexGui 0.10 with an engine, after the cells have been located."""
    if not lattices:
        folder = tmp_path / "first"
        folder.mkdir()
        with HexGui(screen, jar, [ENGINE, "gtp"], folder, lattices=lattices) as gui:
            gui.calibrate()

    def start(*options: str, auto_respond: bool = False) -> HexGui:
        folder = tmp_path / "gui"
        folder.mkdir()
        return HexGui(
            screen,
            jar,
            [ENGINE, "gtp", "--compat", "hexgui", *options],
            folder,
            auto_respond=auto_respond,
            lattices=lattices,
        )

    return start


def _free(gui: HexGui) -> str:
    """Return an empty cell near the middle."""
    width, height = gui.size
    stones = gui.stones()
    names = [f"{chr(97 + x)}{height // 2}" for x in range(width)]
    return next(name for name in names if name not in stones)


def test_connect(start: Start) -> None:
    with start() as gui:
        assert [e.command for e in gui.exchanges()] == [
            "name",
            "version",
            "hexgui-analyze_commands",
            "boardsize 11 11",
            "clear_board",
            "clear_board",
            "showboard",
        ]
        gui.check()
        gui.screen.save("connect")


@pytest.mark.parametrize("size", SIZES)
def test_moves(start: Start, size: tuple[int, int]) -> None:
    width, height = size
    with start("--seconds", "0.3") as gui:
        if size != gui.size:
            assert gui.sent(lambda: gui.resize(*size)) == [
                f"boardsize {width} {height}",
                "clear_board",
            ]
            gui.calibrate()
        gui.check()
        for cell in ("c3", "a1", f"{chr(96 + width)}{height}"):
            colour = ("black", "white")[len(gui.stones()) % 2]
            assert gui.sent(partial(gui.click, cell)) == [f"play {colour} {cell}"]
            gui.check()
        assert gui.sent(lambda: gui.press("play")) == ["genmove white"]
        gui.check()
        assert len(gui.stones()) == 4
        cell = _free(gui)
        assert gui.sent(lambda: gui.click(cell)) == [f"play black {cell}"]
        gui.check()
        gui.screen.save(f"moves-{width}x{height}")
        for _ in range(2):
            assert gui.sent(lambda: gui.press("back")) == ["undo"]
            gui.check()
        assert len(gui.sent(lambda: gui.press("forward"))) == 1
        gui.check()
        assert gui.sent(lambda: gui.press("start")) == ["undo"] * 4
        gui.check()
        assert len(gui.sent(lambda: gui.press("end"))) == 5
        gui.check()


def test_largest_and_smallest_boards(start: Start) -> None:
    with start("--seconds", "0.3") as gui:
        for size in ((63, 63), (1, 1), (1, 3), (3, 1)):
            gui.resize(*size)
            assert gui.sent(lambda: gui.press("play")) == ["genmove black"]
            assert gui.exchanges()[-1].text != "resign"
            gui.screen.save(f"size-{size[0]}x{size[1]}")
            gui.check_windows()
            assert gui.complaints() == []


def test_setup(start: Start) -> None:
    with start("--seconds", "0.3") as gui:
        gui.press("setup black")
        assert gui.sent(lambda: gui.click("b2")) == ["clear_board", "play black b2"]
        gui.click("d5")
        gui.press("setup white")
        assert gui.sent(lambda: gui.click("c3")) == [
            "clear_board",
            "play black b2",
            "play white c3",
            "play black d5",
        ]
        gui.check()
        gui.press("setup white")
        gui.press("play")
        gui.check()
        assert gui.sent(lambda: gui.press("to move")) == []
        gui.press("play")
        gui.check()
        gui.screen.save("setup")
        for button in ("back", "back", "start", "end"):
            gui.press(button)
            gui.check()


def test_swap(start: Start) -> None:
    with start("--seconds", "0.3") as gui:
        assert gui.sent(lambda: gui.click("c2")) == ["play black c2"]
        assert gui.sent(lambda: gui.press("swap")) == ["clear_board", "play white b3"]
        gui.check()
        gui.press("play")
        gui.check()
        gui.screen.save("swap")
        for button in ("back", "back", "back", "end"):
            gui.press(button)
            gui.check()
        gui.new_game()
        gui.click("b4")
        for letter in ("p", "p", "r"):
            gui.menu("alt+g", letter)
            gui.check()
        gui.press("play")
        gui.check()
        for button in ("back", "back", "back", "end"):
            gui.press(button)
            gui.check()


def test_answers_by_itself(start: Start) -> None:
    with start("--seconds", "0.3", auto_respond=True) as gui:
        for _ in range(4):
            cell = _free(gui)
            assert gui.sent(partial(gui.click, cell)) == [
                f"play black {cell}",
                "genmove white",
            ]
            gui.check()
        gui.screen.save("answers")
        gui.press("back")
        gui.check()


def test_stop(start: Start) -> None:
    with start("--seconds", "1000", auto_respond=True) as gui:
        assert gui.shell("param_search live_graphics 1").text == ""
        play = partial(gui.press, "play")
        for number, action in enumerate((play, partial(gui.click, "c3"), play), 1):
            action()
            time.sleep(2)
            assert not gui.exchanges()[-1].complete
            gui.screen.save(f"live-{number}")
            gui.press("stop")
            gui.idle()
            assert gui.traffic.interrupts() == number
            assert len(gui.exchanges()[-1].graphics) > 1
            gui.check()
        gui.press("play")
        for button in ("stop", "stop"):
            gui.press(button)
        gui.check()


def test_games_of_files(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    with start("--seconds", "0.3") as gui:
        path.write_text(VARIATIONS)
        gui.load(path, (11, 11))
        gui.check()
        buttons = "end back back down end up back back end back back back start forward forward"
        for button in buttons.split():
            gui.press(button)
            gui.check()
        gui.press("play")
        gui.check()
        gui.screen.save("variations")
        path.write_text(DECIDED)
        gui.load(path, (11, 11))
        gui.press("end")
        gui.check()
        assert gui.sent(lambda: gui.press("play")) == ["genmove white"]
        assert gui.exchanges()[-1].text == "resign"
        gui.check()
        assert gui.sent(lambda: gui.click("b5")) == ["play white b5"]
        gui.check()
        gui.screen.save("decided")
        for button in ("back", "back", "back"):
            gui.press(button)
            gui.check()


def _analyze_everything(gui: HexGui, name: str) -> None:
    """Run every entry of the analyze dialog, with stones selected where it needs cells."""
    gui.shell("param_dfpn timelimit 1")
    for row, (kind, label, command) in enumerate(gui.open_analyze()):
        wanted = 1 if "%p" in command else 2 if "%P" in command else 0
        gui.select(*list(gui.stones())[:wanted])
        file = gui.folder / "written.sgf" if "%w" in command else None
        (exchange,) = gui.analyze(row, file)
        assert not file or file.exists()
        assert exchange.command.startswith(command.split(" %")[0])
        gui.screen.save(f"{name}-{label.lower().replace(' ', '-')}")
        opened = set(gui.screen.windows().values()) - gui.known
        text = kind == "string" and ("\n" in exchange.text or gui.version == "0.9")
        window = kind in ("param", "vc") or text
        assert len(opened) == (exchange.reply[0].startswith("=") and window)
        if opened:
            gui.screen.close(opened.pop())
        gui.check_windows()
        assert gui.complaints() == []
    for button in ("back", "forward"):  # which erases the drawings
        gui.press(button)
    gui.check()


def test_analyze(start: Start) -> None:
    with start("--seconds", "1") as gui:
        for cell in ("f6", "d8", "g5", "e4"):
            gui.click(cell)
        _analyze_everything(gui, "analyze")


def test_connections(start: Start) -> None:
    with start("--seconds", "0.3") as gui:
        for cell in ("d4", "j9", "e5"):
            gui.click(cell)
        entries = enumerate(gui.open_analyze())
        row = next(row for row, (kind, *_) in entries if kind == "vc")
        gui.select("d4", "e5")
        (exchange,) = gui.analyze(row, None)
        assert exchange.command == "vc-between-cells-full b d4 e5"
        assert exchange.text.split("\n")[-1] == "black d4 e5 full or [ e4 d5 ] [ ]"
        gui.screen.save("connections")
        (opened,) = set(gui.screen.windows().values()) - gui.known
        gui.screen.close(opened)
        gui.check_windows()
        assert gui.complaints() == []


def test_analyze_a_decided_game(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(DECIDED)
    with start("--seconds", "1") as gui:
        gui.load(path, (11, 11))
        gui.press("end")
        _analyze_everything(gui, "over")


def test_reviews(start: Start, tmp_path: Path) -> None:
    """The game as `trivalent review` writes it, and its review in the analyze dialog."""
    path = tmp_path / "reviewed.sgf"
    game = "hex 5: c2 c3 d2 b4 a3 d4 a4 c4 b1 b2"
    words = [ENGINE, "review", game, "--nodes", "40", "--store", str(tmp_path / "store.db")]
    subprocess.run([*words, "--sgf", str(path)], check=True, stdout=subprocess.DEVNULL)
    with start("--seconds", "1000") as gui:
        gui.resize(5, 5)
        gui.calibrate()
        gui.load(path, (5, 5))
        for button in ("start", "forward", "forward", "forward", "down", "forward", "end"):
            gui.press(button)
            gui.check()
        gui.screen.save("review-variation")
        gui.load(path, (5, 5))
        gui.press("end")
        gui.check()
        assert gui.shell("param_search live_graphics 1").text == ""
        labels = [label for _, label, _ in gui.open_analyze()]
        (exchange,) = gui.analyze(labels.index("Review"), None)
        assert "b2 10@L" in exchange.text
        assert exchange.graphics
        gui.screen.save("review")
        assert gui.complaints() == []
        for button in ("back", "forward"):  # which erases the drawings
            gui.press(button)
        gui.check()


def test_other_buttons(start: Start) -> None:
    with start("--seconds", "1") as gui:
        gui.click("f6")
        gui.press("hint")
        gui.idle()
        gui.screen.save("hint")
        gui.check()


def test_solve(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(DECIDED)
    with start("--seconds", "1") as gui:
        gui.load(path, (11, 11))
        gui.press("end")
        gui.press("back")
        gui.press("back")
        sent = gui.sent(lambda: gui.press("solve"))
        assert sent[0] == "param_dfpn use_guifx 1"
        assert sent[1].startswith("dfpn-solve-state ")
        assert gui.exchanges()[-1].text == "black"
        gui.screen.save("solved")
        gui.check()
        gui.press("start")
        gui.press("solve")
        time.sleep(5)
        gui.screen.save("solving")
        gui.press("stop")
        gui.idle()
        assert gui.exchanges()[-1].text == "unknown"
        gui.press("end")
        gui.check()
        assert gui.complaints() == []


def test_options(start: Start) -> None:
    with start("--compat", "mohex") as gui:
        assert gui.sent(lambda: gui.press("options")) == ["param_mohex"]
        gui.screen.save("options")
        (opened,) = set(gui.screen.windows().values()) - gui.known
        gui.screen.close(opened)
        gui.press("play")
        gui.check()


def test_disconnect(start: Start) -> None:
    with start("--seconds", "0.3") as gui:
        gui.click("c3")
        assert gui.sent(lambda: gui.menu("alt+p", "r"))[0] == "quit"
        gui.wait(lambda: gui.exchanges()[-1].command == "showboard")
        gui.place_shell()
        gui.check()
        gui.press("play")
        gui.check()
        assert gui.sent(lambda: gui.menu("alt+p", "d")) == ["quit"]
        gui.expected.clear()
        gui.check_windows()
        assert gui.complaints() == []


@pytest.mark.usefixtures("start")  # fills the lattices
def test_through_a_server(
    jar: Path, screen: Screen, tmp_path: Path, lattices: dict[tuple[int, int], Lattice]
) -> None:
    serve = [ENGINE, "serve", "--port", "0", "--compat", "hexgui", "--seconds", "1000"]
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        port = json.loads(server.stderr.readline())["address"].rpartition(":")[2]
        connect = [ENGINE, "connect", "127.0.0.1", port]
        with HexGui(screen, jar, connect, tmp_path, lattices=lattices) as gui:
            gui.click("c3")
            gui.press("play")
            time.sleep(1)
            assert not gui.exchanges()[-1].complete
            gui.press("stop")
            gui.check()
            assert len(gui.stones()) == 2
            gui.press("start")
            gui.check()
            gui.menu("alt+p", "d")
        server.terminate()


@pytest.fixture
def start_old(old_jar: Path, screen: Screen, tmp_path: Path) -> Start:
    """A function that starts HexGui 0.9 with an engine."""

    def start(game: str) -> HexGui:
        command = [ENGINE, "gtp", "--compat", "hexgui", "--game", game, "--seconds", "0.3"]
        folder = tmp_path / "gui"
        folder.mkdir()
        return HexGui(screen, old_jar, command, folder, game=game, version="0.9")

    return start


@pytest.mark.parametrize(
    ("game", "sizes"), [("hex", ((11, 11), (5, 8))), ("y", ((11, 11), (9, 9)))]
)
def test_moves_in_the_old_version(
    start_old: Start, game: str, sizes: tuple[tuple[int, int], ...]
) -> None:
    with start_old(game) as gui:
        for size in sizes:
            if size != gui.size:
                assert gui.sent(partial(gui.resize, *size)) == [f"boardsize {size[0]} {size[1]}"]
            gui.calibrate()
            gui.check()
            for cell in ("a1", "c4", f"{chr(96 + size[0])}{size[1]}"):
                colour = ("black", "white")[len(gui.stones()) % 2]
                assert gui.sent(partial(gui.click, cell)) == [f"play {colour} {cell}"]
                gui.check()
            assert gui.sent(lambda: gui.press("play")) == ["genmove white"]
            gui.check()
            gui.screen.save(f"old-{game}-{size[0]}x{size[1]}")
            assert gui.sent(lambda: gui.press("start")) == ["undo"] * 4
            gui.check()
            gui.press("end")
            gui.check()
            gui.press("setup white")
            gui.click("b2")
            gui.check()
            gui.press("setup white")
            gui.press("back")
            gui.check()
        assert gui.complaints() == []


@pytest.mark.parametrize("game", ["hex", "y"])
def test_swap_in_the_old_version(start_old: Start, game: str) -> None:
    with start_old(game) as gui:
        gui.calibrate()
        assert gui.sent(lambda: gui.click("c4")) == ["play black c4"]
        assert gui.sent(lambda: gui.press("swap")) == ["play white swap-pieces"]
        gui.check()
        assert gui.stones() == {"c4": "B" if game == "hex" else "W"}
        gui.screen.save(f"old-{game}-swap")
        gui.press("play")
        gui.check()
        for _ in range(3):
            gui.press("back")
            gui.check()
        gui.press("end")
        if game == "hex":  # going forward, 0.9 does not draw a swap on a Y board
            gui.check()


@pytest.mark.parametrize("game", ["hex", "y"])
def test_analyze_in_the_old_version(start_old: Start, game: str) -> None:
    with start_old(game) as gui:
        gui.calibrate()
        for cell in ("c7", "d8", "e9"):
            gui.click(cell)
        _analyze_everything(gui, f"old-{game}")


def test_resignation_in_the_old_version(start_old: Start, tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;FF[4]GM[11]SZ[11];B[c4];W[d6];B[resign])")
    with start_old("hex") as gui:
        gui.calibrate()
        gui.load(path, (11, 11))
        for button in ("end", "back", "back", "back", "end", "start"):
            gui.press(button)
            gui.check()
