"""Opening books in a GTP session: set by `param_player`, and play goes on without a damaged one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from books import build, settings
from gtp_session import Gtp

from pipes import HANGS
from trivalent.bot.book.book_file import BookFile
from trivalent.bot.book.opening_book import OpeningBook
from trivalent.bot.player import Limits
from trivalent.bot.players.registry import make_player

TRIVALENT = str(Path(sys.executable).parent / "trivalent")


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("books") / "seven.book"
    build(path, settings(size=7, nodes=2), 3)
    return path


def session() -> Gtp:
    return Gtp(make_player("mcts", {"memory": "16"}), size=7, limits=Limits(nodes=100))


def test_a_book_is_set_and_used(book: Path) -> None:
    gtp = session()
    with BookFile.read(book) as file:
        opening = OpeningBook.of(file)
        moves = opening.moves(gtp.session.position)
    names = file.board.names
    gtp.ok(f"param_player book {book}")
    assert gtp.ok("genmove b") == names[moves[0].cell]
    balances = {names[move.cell]: abs(move.value - 0.5) for move in moves}
    chosen = gtp.ok("param_game allow_swap 1", "clear_board", "genmove b")
    assert balances[chosen] == min(balances.values())
    for move in (moves[0], moves[-1]):
        reply = gtp.ok("clear_board", f"play b {names[move.cell]}", "genmove w")
        assert (reply == "swap-pieces") is (move.value > 0.5)
    assert "opening book" in gtp.ok("param_player book none", "param_player book")


def test_after_a_move_from_the_book_an_analysis_is_searched(book: Path) -> None:
    gtp = session()
    gtp.ok(f"param_player book {book}", "genmove b", "undo")
    assert gtp.session.analysis(gtp.session.position.to_play).nodes >= 100


@pytest.mark.parametrize("damage", ["cut", "other", "missing"])
def test_a_damaged_book_is_one_sentence(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "damaged.book"
    if damage != "missing":
        path.write_bytes(b"SQLite format 3\0" if damage == "cut" else b"(;FF[4])")
    gtp = session()
    reply = gtp.refused(f"param_player book {path}")
    assert reply.startswith("book: ")
    assert "\n" not in reply
    assert gtp.ok("genmove b") != "resign"


def test_an_engine_starts_without_a_damaged_book(tmp_path: Path) -> None:
    path = tmp_path / "damaged.book"
    path.write_bytes(b"nothing that SQLite knows" * 99)
    words = [TRIVALENT, "gtp", "--boardsize", "5", "--nodes", "50", "--set", f"book={path}"]
    done = subprocess.run(
        words, input="genmove b\nquit\n", capture_output=True, text=True, timeout=HANGS, check=True
    )
    assert done.stdout.startswith("= ")
    assert done.stdout.count("= ") == 2
    assert done.stderr.count("\n") == 1
    assert str(path) in done.stderr
    assert done.stderr.endswith("playing without a book\n")


def test_a_book_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    words = [TRIVALENT, "gtp", "--set", f"book={tmp_path / 'none'}"]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=HANGS, check=False, input=""
    )
    assert done.returncode == 2
    assert "cannot read" in done.stderr
    assert done.stderr.count("\n") == 1
