"""The page of a book, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from books import build, settings
from browser import PROGRAM, Browser

from trivalent.bot.book.book_file import BookFile
from trivalent.bot.book.book_parameters import BookError
from trivalent.bot.book.opening_book import OpeningBook
from trivalent.core.position import Position
from trivalent.tools.book.book_page import page

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("jinja2")


def test_page_is_self_contained(tmp_path: Path) -> None:
    build(tmp_path / "book", settings(size=3))
    with BookFile.read(tmp_path / "book") as file:
        text = page(file, Position(file.board))
    assert "default-src 'none'; script-src 'sha256-" in text
    assert "src=" not in text.replace("script-src", "").replace("style-src", "")
    assert "Opening book for 3x3 Hex" in text


def test_page_begins_after_stones_only(tmp_path: Path) -> None:
    build(tmp_path / "book", settings(size=3))
    with BookFile.read(tmp_path / "book") as file:
        position = Position(file.board)
        position.play(position.to_play, 0)
        position.swap_pieces()
        with pytest.raises(BookError, match="swap"):
            page(file, position)


@pytest.mark.skipif(PROGRAM is None, reason="needs a browser")
@pytest.mark.parametrize("game", ["hex", "y"])
def test_walking_through_a_book(game: str, tmp_path: Path) -> None:
    """Whatever way the board lies, the page has the moves and values that the book has."""
    build(tmp_path / "book", settings(game, 5, nodes=2), 40)
    target = tmp_path / "page.html"
    with BookFile.read(tmp_path / "book") as file, Browser(tmp_path / "profile") as browser:
        target.write_text(page(file, Position(file.board)), "utf-8")
        opening, names = OpeningBook.of(file), file.board.names
        browser.look(dark=False, width=1000)
        browser.open(target.as_uri())
        browser.until("!document.getElementById('viewer').hidden")
        walks = [[0], [len(names) - 1], [7], [9, 3], [3]]
        walked = 0
        for walk in walks:
            position = Position(file.board)
            browser.run("document.getElementById('first').click()")
            for step in [-1, *walk]:
                if step >= 0:
                    moves = opening.moves(position)
                    if not moves:
                        break
                    cell = moves[step % len(moves)].cell
                    position.play(position.to_play, cell)
                    click = "dispatchEvent(new MouseEvent('click'))"
                    browser.run(f"document.querySelectorAll('.cell')[{cell}].{click}")
                    walked += 1
                shown = browser.run(
                    "[...document.querySelectorAll('#rows tr')].map(row =>"
                    " [...row.cells].map(cell => cell.textContent))"
                )
                expected = {
                    names[m.cell]: ("W" if m.proven else "L") if m.proven is not None
                    else f"{100 * m.value:.1f} %"
                    for m in opening.moves(position)
                }  # fmt: skip
                assert {name: worth for name, worth, _ in shown} == expected
        assert walked >= 5
        browser.run("document.getElementById('board-box').focus()")
        browser.press("Home")
        browser.press("End")
        length = browser.run("document.querySelectorAll('#moves li').length")
        assert length >= 2
        browser.press("ArrowLeft")
        assert browser.run("document.querySelectorAll('#moves li').length") == length - 1
        assert browser.complaints == []
        assert [url for url in browser.requests if not url.startswith("file:")] == []
