"""The page of reviews: safe, self-contained, and working in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from browser import PROGRAM, Browser
from reviews import EFFORT, FAULTS, FAULTY_MOVES, reviewed_game

from trivalent.tools.review.review_data import game_data
from trivalent.tools.review.review_page import review_page

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("jinja2")

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2>"


@pytest.fixture(scope="module")
def text() -> str:
    games = [reviewed_game(FAULTS), reviewed_game("y 4: b3 a1 c3 b2 d4 resign", HOSTILE)]
    games[1].record.players = dict.fromkeys(games[1].record.players, HOSTILE) or {}
    games.append(reviewed_game("hex 3: a1 swap-sides b2"))
    return review_page([game_data(game) for game in games], EFFORT)


def test_page_is_self_contained_and_safe(text: str) -> None:
    assert "default-src 'none'; script-src 'sha256-" in text
    assert "unsafe" not in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert HOSTILE not in text
    assert text.count("<script") == 2


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, text: str) -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip("no browser is installed")
    folder = tmp_path_factory.mktemp("page")
    (folder / "page.html").write_text(text, "utf-8")
    with Browser(folder / "profile") as one:
        one.look(dark=False, width=1200)
        one.open((folder / "page.html").as_uri())
        one.until("!document.getElementById('review').hidden")
        yield one
        assert one.complaints == []
        assert {url.partition(":")[0] for url in one.requests} <= {"file", "about"}


def shown(browser: Browser, name: str) -> str:
    found = browser.run(f"document.getElementById('{name}').textContent")
    assert isinstance(found, str)
    return found


def stones(browser: Browser) -> int:
    found = browser.run("document.querySelectorAll('#board-box .stone').length")
    assert isinstance(found, int)
    return found


def press(browser: Browser, *keys: str) -> None:
    browser.run("document.getElementById('board-box').focus()")
    for key in keys:
        browser.press(key)


def choose(browser: Browser, layer: str) -> None:
    browser.run(f"document.querySelector('input[value={layer}]').click()")


def test_stepping_through_the_game(browser: Browser) -> None:
    assert shown(browser, "move").startswith("10. White: b2, proven loss, from 100% to 0%")
    assert "White lost with move 10" in shown(browser, "lead")
    press(browser, "Home")
    assert (shown(browser, "move"), stones(browser)) == ("Start; black wins (proven)", 0)
    press(browser, "ArrowRight", "ArrowRight")
    assert stones(browser) == 2
    press(browser, "ArrowDown")
    assert shown(browser, "move").startswith(f"{FAULTY_MOVES[0]}. Black: d2")
    press(browser, "ArrowDown", "ArrowUp", "ArrowUp")
    assert stones(browser) == FAULTY_MOVES[0]
    browser.run("document.querySelectorAll('#moves button')[7].click()")
    assert stones(browser) == 8
    press(browser, "End")
    assert stones(browser) == 10


def test_clicking_the_curve(browser: Browser) -> None:
    browser.run(
        "(() => { const curve = document.getElementById('curve');"
        "const box = curve.getBoundingClientRect();"
        "curve.dispatchEvent(new MouseEvent('click', {clientX: box.left + box.width / 2, "
        "clientY: box.top + 20, bubbles: true})); })()"
    )
    assert stones(browser) in (4, 5)
    assert browser.run("document.querySelectorAll('#curve .turn').length") == len(FAULTY_MOVES)


def test_variations_and_carriers(browser: Browser) -> None:
    press(browser, "End")
    choose(browser, "carrier")
    assert browser.run("document.querySelectorAll('#board-box .carrier.theirs').length") > 0
    browser.run("document.querySelector('#lines button').click()")
    assert shown(browser, "move").startswith("better: a5 (1 of")
    assert stones(browser) == 10  # nine, and the better one
    press(browser, "Escape")
    assert shown(browser, "move").startswith("10. White")
    assert shown(browser, "why").count("a5") > 1


def test_candidates_ownership_and_numbers(browser: Browser) -> None:
    press(browser, "Home", "ArrowRight")
    choose(browser, "candidates")
    assert browser.run("document.querySelectorAll('#board-box .candidate').length") > 0
    choose(browser, "ownership")
    assert browser.run("document.querySelectorAll('#board-box [class^=owned]').length") == 24
    choose(browser, "numbers")
    assert browser.run("document.querySelectorAll('#board-box text.on-black').length") == 1
    choose(browser, "candidates")


def test_choosing_another_game(browser: Browser) -> None:
    choice = "document.getElementById('game-choice')"
    browser.run(f"{choice}.value = 1; {choice}.dispatchEvent(new Event('change'))")
    assert browser.run("document.querySelectorAll('#moves button').length") == 6
    assert browser.run("window.hacked") is None
    press(browser, "End", "ArrowLeft", "ArrowRight")
    browser.run(f"{choice}.value = 0; {choice}.dispatchEvent(new Event('change'))")


def test_players_who_change_colours(browser: Browser) -> None:
    browser.run(
        "(() => { const choice = document.getElementById('game-choice');"
        "choice.value = 2; choice.dispatchEvent(new Event('change')); })()"
    )
    for button, colours in (("first", "black white"), ("last", "white black")):
        browser.run(f"document.getElementById('{button}').click()")
        dots = "[...document.querySelectorAll('#players .dot')].map((dot) => dot.classList[1])"
        assert browser.run(f"{dots}.join(' ')") == colours
    assert shown(browser, "players") == "First player Second player"


@pytest.mark.parametrize("dark", [False, True])
def test_page_fits_a_phone(browser: Browser, dark: bool) -> None:
    browser.look(dark=dark, width=360)
    assert browser.run("document.documentElement.scrollWidth") <= 360
    browser.look(dark=False, width=1200)
