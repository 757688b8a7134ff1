"""The file of a book: what is stored comes back, and nothing damaged is believed."""

from __future__ import annotations

import random
import sqlite3
from typing import TYPE_CHECKING

import pytest
from books import build, content, settings

from trivalent.bot.book.book_file import BookError, BookFile, Entry
from trivalent.bot.book.opening_book import OpeningBook, check_book
from trivalent.core.position import Position

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("books") / "four.book"
    build(path, settings(), 5)
    return path


@pytest.fixture
def copied(book: Path, tmp_path: Path) -> Path:
    path = tmp_path / "copy.book"
    path.write_bytes(book.read_bytes())
    return path


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "new.book"
    about = settings("y", 5, parameters={"seed": "3"}, width=0.2, swap=False, version="9.9")
    entries = [Entry("b /", "", 0.0, None, 0.25, None), Entry("b /a1", "b2", 0.5, False, 0, False)]
    with BookFile.create(path, about) as file:
        file.put(entries)
    with BookFile.read(path) as file:
        assert file.settings == about
        assert list(file.entries()) == entries
        assert file.entry("b /a1") == entries[1]
        assert file.entry("b /b2") is None
        with pytest.raises(BookError, match="readonly"):
            file.put(entries)
    with pytest.raises(BookError, match="already exists"):
        BookFile.create(path, about)
    assert list(tmp_path.iterdir()) == [path]


def test_a_failing_transaction_changes_nothing(copied: Path) -> None:
    before = content(copied)
    with BookFile.open(copied) as file, pytest.raises(BookError):
        file.put([Entry("b /a1", "", 0.1, None, 0.1, None), Entry(None, "", 0, None, 0, None)])  # type: ignore[arg-type]
    assert content(copied) == before


def test_a_book_in_a_folder_without_permission_can_be_read(copied: Path) -> None:
    copied.chmod(0o444)
    copied.parent.chmod(0o555)
    try:
        assert content(copied)
    finally:
        copied.parent.chmod(0o755)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.write_bytes(b""), "is not an opening book"),
        (lambda path: path.write_bytes(b"no database at all" * 100), "file is not a database"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "malformed|damaged"),
        (lambda path: _run(path, "PRAGMA application_id = 7"), "is not an opening book"),
        (lambda path: _run(path, "PRAGMA user_version = 99"), "unknown version"),
        (lambda path: _run(path, "DROP TABLE positions"), "no such table"),
        (lambda path: _run(path, "DELETE FROM settings"), "damaged"),
        (lambda path: _run(path, "UPDATE settings SET value = '99' WHERE name = 'rows'"), "damage"),
        (lambda path: _run(path, "UPDATE positions SET value = 0.5"), "checksum"),
        (lambda path: _run(path, "UPDATE positions SET move = 'a1'"), "checksum"),
    ],
)  # fmt: skip
def test_damage_is_one_sentence(damage: object, reason: str, copied: Path) -> None:
    damage(copied)  # type: ignore[operator]
    with pytest.raises(BookError, match=reason) as caught, BookFile.read(copied) as file:
        list(file.entries())
    assert str(copied) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="there is no book"):
        BookFile.read(tmp_path / "none.book")
    with pytest.raises(ValueError, match="cannot read") as caught:
        check_book(str(tmp_path / "none.book"))
    assert not isinstance(caught.value, BookError)


def test_flipped_bits_never_pass_unnoticed(copied: Path) -> None:
    """Whatever bits are wrong: the book is refused, or all that is read is right."""
    whole, data = content(copied), copied.read_bytes()
    chance = random.Random(5)
    refused = 0
    for _ in range(200):
        damaged = bytearray(data)
        damaged[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        copied.write_bytes(damaged)
        try:
            with BookFile.read(copied) as file:
                assert {tuple(entry) for entry in file.entries()} <= set(whole)
                for entry in whole:
                    assert file.entry(entry[0]) in (None, Entry(*entry))
        except BookError:
            refused += 1
    assert refused > 5


def test_moves_lie_as_the_board_does(book: Path) -> None:
    """All images of a position have the images of its moves."""
    with BookFile.read(book) as file:
        opening = OpeningBook.of(file)
        board = file.board
        entry = next(e for e in file.entries() if e.move and e.name.count(" ") == 1)
        first = board.cell(entry.name.partition("/")[2])
        found = set()
        for symmetry in board.symmetries:
            position = Position(board)
            colour = position.to_play.opponent if symmetry.swaps_colours else position.to_play
            # The name has the mover as Black, so its only stone is White's.
            position.play(colour.opponent, symmetry.cells[first])
            moves = opening.moves(position)
            assert moves
            drop_outs = {m.cell for m in moves if m.leads_to is None}
            found.add((entry.move, symmetry.cells.index(*drop_outs) if len(drop_outs) == 1 else -1))
        assert len(found) == 1


def _run(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(statement)
    connection.close()
