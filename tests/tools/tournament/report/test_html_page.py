"""The report page: safe against hostile engines, complete, and working in a real browser."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from browser import PROGRAM, Browser
from made_up import made_up

from trivalent.core.position import Position
from trivalent.core.records.formats import read
from trivalent.tools.pictures.board_pictures import picture
from trivalent.tools.statistics.sprt import Sprt
from trivalent.tools.tournament.model import Opening
from trivalent.tools.tournament.report import html_page
from trivalent.tools.tournament.report.html_page import page
from trivalent.tools.tournament.report.page_drawings import scale, thinned
from trivalent.tools.tournament.report.summary import summary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from made_up import Run

    from trivalent.core.board import Board

pytest.importorskip("jinja2")

HOSTILE = (
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=2>",
    "\"' onclick=window.hacked=3 x='",
    "{{ 7*7 }}${7*7}]]>",
)


class Elements(HTMLParser):
    """Collects all elements of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def games_in(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="text/plain" id="data">([A-Za-z0-9+/=]*)</script>', text)
    assert found
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(found[1])))
    return data


def hostile_run() -> Run:
    plan, played = made_up(HOSTILE[:3], size=3)
    evil = [
        (game, replace(record, detail=HOSTILE[n % 4], logs=dict.fromkeys(HOSTILE, HOSTILE[n % 4])))
        for n, (game, record) in enumerate(played)
    ]
    return replace(plan, name=HOSTILE[0] + HOSTILE[3]), evil


def test_text_from_engines_is_escaped() -> None:
    plan, played = hostile_run()
    text = page(summary(plan, played), plan.board)
    elements = Elements(text).found
    assert sum(tag == "script" for tag, _ in elements) == 2
    assert not any(tag == "img" for tag, _ in elements)
    assert not any(name.startswith("on") for _, found in elements for name in found)
    assert "{{ 7*7 }}" in text  # not evaluated
    for said in HOSTILE[:2]:
        assert said not in text
    assert {row[7] for row in games_in(text)["games"]} == set(HOSTILE)


def test_page_is_self_contained() -> None:
    """Nothing is loaded, all scripts and styles are hashed, all links are internal."""
    plan, played = made_up(swap="pieces")
    text = page(summary(plan, played), plan.board)
    elements = Elements(text).found
    policy = next(found for _, found in elements if found.get("http-equiv"))["content"]
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert {tag for tag, _ in elements}.isdisjoint({"link", "img", "iframe", "object", "embed"})
    for _, found in elements:
        assert "src" not in found
        assert "style" not in found
        assert (found.get("href") or "#").startswith("#")
    names = [found["id"] for _, found in elements if found.get("id")]
    assert len(names) == len(set(names))


def test_images_and_buttons_have_accessible_names() -> None:
    plan, played = made_up(options=Sprt(0.0, 50.0), names=("ada", "bob"))
    for tag, found in Elements(page(summary(plan, played), plan.board)).found:
        if tag == "svg":
            assert found.get("aria-hidden") == "true" or found.get("aria-label")
        if tag == "button":
            assert found.get("aria-label") or found.get("id") in ("previous-page", "next-page")


@pytest.mark.parametrize(
    ("game", "swap"),
    [("hex", "off"), ("hex", "pieces"), ("hex", "sides"), ("y", "pieces"), ("renkula", "off")],
)
def test_page_contains_all_games(game: str, swap: str) -> None:
    plan, played = made_up(game=game, swap=swap)
    data = games_in(page(summary(plan, played), plan.board))
    assert len(data["games"]) == len(played)
    by_id = {row[0]: row for row in data["games"]}
    for one, record in played:
        row = by_id[one.id]
        assert [data["engines"][row[i]] for i in (1, 2, 3)] == [
            one.black,
            one.white,
            record.winner,
        ]
        assert row[8].split() == list(record.moves)
    reading = read(by_id[played[0][0].id][11], "sgf")
    assert reading.record.info["event"] == "made up"


def test_page_without_games_and_with_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, played = made_up()
    empty = page(summary(plan, []), plan.board)
    assert games_in(empty)["games"] == []
    assert "No games yet." in empty
    monkeypatch.setattr(html_page, "MAX_GAMES", 10)
    monkeypatch.setattr(html_page, "MAX_MAPS", 2)
    text = page(summary(plan, played), plan.board)
    assert len(games_in(text)["games"]) == 10
    assert "Only the first 10 of 150 games can be replayed here." in text
    assert "Only the first 2 of 3 matches are shown." in text


def test_longer_openings_are_drawn_as_squares() -> None:
    openings = tuple(Opening(f"o{n}", (f"a{n}", "b2")) for n in (1, 3, 4))
    plan, played = made_up(("ada", "bob"), openings=openings)
    text = page(summary(plan, played), plan.board)
    assert text.count('h12v12h-12Z" class=') == 3
    assert 'data-opening="o3"' in text
    none = made_up(("ada", "bob"), openings=(Opening("none"),))
    assert "h12v12h-12Z" in page(summary(*none), none[0].board)


@pytest.mark.parametrize(
    ("with_black", "with_white", "shade", "dot"),
    [
        (True, True, "m4", ""),
        (False, False, "m0", ""),
        (True, False, "m2", "black"),
        (False, True, "m2", "white"),
    ],
)
def test_colours_of_openings(with_black: bool, with_white: bool, shade: str, dot: str) -> None:
    """The shade shows the first engine's score, a dot the colour that won both games."""
    plan, played = made_up(("ada", "bob"), size=3, step=80.0)  # ada wins overall
    results = {"ada": with_black, "bob": not with_white}
    changed = [
        (game, replace(record, winner=game.black if results[game.black] else game.white))
        if game.opening.name == "b2"
        else (game, record)
        for game, record in played
    ]
    text = page(summary(plan, changed), plan.board)
    place = re.search(r'<path d="\S+ [^"]+" class="(\w+)" data-opening="b2">', text)
    assert place
    ((x, y),) = picture(plan.board).centres[plan.board.cell("b2")]
    assert place[1] == shade
    dots = re.findall(rf'<circle class="(\w+)" cx="{x:.1f}" cy="{y:.1f}"', text)
    assert dots == ([dot] if dot else [])
    wins = (int(with_black), int(with_white))
    assert f"b2: ada won {wins[0]} of 1 as Black, {wins[1]} of 1 as White" in text
    assert text.count('class="m4"') == 9 - (shade != "m4")
    assert 'class="none"' not in text


def test_openings_of_several_rounds_have_shades() -> None:
    plan, played = made_up(("ada", "bob"), size=3, step=80.0, rounds=2)
    changed = [
        (game, replace(record, winner="bob"))
        if (game.opening.name, game.round, game.black) == ("a1", 1, "ada")
        else (game, record)
        for game, record in played
    ]
    text = page(summary(plan, changed[:-4]), plan.board)
    assert 'class="m3" data-opening="a1"' in text
    assert text.count('class="m4"') == 8


def test_scales_have_round_ticks() -> None:
    axis = scale([-83.0, 0.0, 140.0], 200.0, 4)
    assert axis.marks == (-100.0, 0.0, 100.0, 200.0)
    assert axis(-100.0) == 0.0
    assert axis(200.0) == 200.0
    assert axis(1e9) == 200.0
    assert scale([], 10.0).marks
    assert scale([5.0, 5.0], 10.0)(5.0) == pytest.approx(5.0)


def test_long_curves_keep_their_peaks() -> None:
    values = [0.0] * 10000
    values[1234], values[8000] = 3.0, -3.0
    kept = thinned(values, 100)
    assert len(kept) <= 202
    assert (1234, 3.0) in kept
    assert (8000, -3.0) in kept
    assert thinned([1.0, 2.0], 5) == [(0, 1.0), (1, 2.0)]


# In a browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip("no browser is installed")
    with Browser(tmp_path_factory.mktemp("profile")) as one:
        yield one


@pytest.fixture
def quiet(browser: Browser) -> Iterator[Browser]:
    """Fail if the page logs a warning or requests anything but itself."""
    browser.complaints.clear()
    browser.requests.clear()
    browser.look(dark=False, width=1200)
    yield browser
    assert browser.complaints == []
    assert {url.partition(":")[0] for url in browser.requests} <= {"file"}


def open_page(browser: Browser, run: Run, folder: Path, place: str = "") -> None:
    plan, played = run
    (folder / "page.html").write_text(page(summary(plan, played), plan.board), "utf-8")
    browser.open("about:blank")
    browser.open((folder / "page.html").as_uri() + place)
    browser.until("!document.getElementById('list').hidden")


def text_of(browser: Browser, name: str) -> str:
    found = browser.run(f"document.getElementById('{name}').textContent")
    assert isinstance(found, str)
    return found


def stones_in(browser: Browser) -> list[tuple[str, float, float]]:
    found = browser.run(
        "[...document.querySelectorAll('#board-box .stone')].map("
        "s => [s.classList[1], +s.getAttribute('cx'), +s.getAttribute('cy')])"
    )
    return sorted((colour, x, y) for colour, x, y in found)


def expected_stones(board: Board, words: list[str]) -> list[tuple[str, float, float]]:
    position = Position(board)
    for word in words:
        if word == "swap-pieces":
            position.swap_pieces()
        elif word == "swap-sides":
            position.swap_sides()
        elif word != "resign":
            position.play(position.to_play, board.cell(word))
    centres = picture(board).centres
    return sorted(
        (str(colour), round(x, 2), round(y, 2))
        for cell in range(len(board))
        if (colour := position.stone(cell)) is not None
        for x, y in centres[cell]
    )


@pytest.mark.parametrize(
    ("game", "swap"),
    [("hex", "off"), ("hex", "pieces"), ("hex", "sides"), ("y", "pieces"), ("renkula", "off")],
)
def test_replaying_a_game(quiet: Browser, tmp_path: Path, game: str, swap: str) -> None:
    run = made_up(size=4, game=game, swap=swap)
    plan, played = run
    one, record = next(
        (one, record)
        for one, record in played
        if swap == "off" or record.moves[1:2] == (f"swap-{swap}",)
    )
    words = list(record.moves)
    open_page(quiet, run, tmp_path, f"#game={quote(one.id)}")
    quiet.until(f"document.getElementById('result').textContent.startsWith('{one.opening.name},')")
    assert one.black in text_of(quiet, "players")
    assert record.winner in text_of(quiet, "result")
    for ply in range(len(words), -1, -1):
        assert stones_in(quiet) == expected_stones(plan.board, words[:ply])
        if ply:
            mover = (one.black, one.white)[(ply - 1) % 2]
            assert text_of(quiet, "move").startswith(f"{ply}. {mover}: {words[ply - 1]}")
            quiet.run("document.getElementById('back').click()")
    assert text_of(quiet, "move") == "Start"
    assert quiet.run("document.getElementById('back').disabled") is True
    quiet.run("document.getElementById('board-box').focus()")
    for key, ply in (("ArrowRight", 1), ("ArrowRight", 2), ("End", len(words)), ("Home", 0)):
        quiet.press(key)
        assert stones_in(quiet) == expected_stones(plan.board, words[:ply])
    quiet.run("document.querySelectorAll('#moves button')[2].click()")
    assert stones_in(quiet) == expected_stones(plan.board, words[:3])
    quiet.run("document.getElementById('numbers').click()")
    assert quiet.run("document.querySelectorAll('#board-box .stone + text').length") == len(
        expected_stones(plan.board, words[:3])
    )


def test_sgf_and_hexworld_links(quiet: Browser, tmp_path: Path) -> None:
    run = made_up(size=4, swap="pieces")
    plan, played = run
    one, record = played[5]
    open_page(quiet, run, tmp_path, f"#game={quote(one.id)}")
    assert quiet.run("document.getElementById('sgf').download") == f"{one.id}.sgf"
    text = quiet.run("fetch === undefined || document.getElementById('sgf').href")
    assert str(text).startswith("blob:")
    row = next(
        row
        for row in games_in((tmp_path / "page.html").read_text("utf-8"))["games"]
        if row[0] == one.id
    )
    words = [word for word in record.moves if word != "resign"]
    address = quiet.run("document.getElementById('hexworld').href")
    assert address == row[12]
    assert address.startswith("https://hexworld.org/board/#4,")
    assert (
        address.replace(":s", "")
        .split(",")[1]
        .startswith("".join(word for word in words if not word.startswith("swap")))
    )
    assert read(row[11], "sgf").record.board == plan.board


def test_filtering_the_list_of_games(quiet: Browser, tmp_path: Path) -> None:
    run = made_up(size=4, rounds=2)
    open_page(quiet, run, tmp_path)
    assert text_of(quiet, "count") == "1 to 50 of 192"
    quiet.run("document.getElementById('next-page').click()")
    assert text_of(quiet, "count") == "51 to 100 of 192"
    map_of = "document.querySelector('.map[data-engine=ada][data-opponent=cyd]')"
    quiet.run(
        f"{map_of}.querySelector('[data-opening=b3]')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    assert text_of(quiet, "count") == "1 to 4 of 4"
    assert text_of(quiet, "result").startswith("b3,")
    quiet.run("document.querySelectorAll('#rows button')[3].click()")
    assert quiet.run("document.querySelectorAll('#rows tr')[3].ariaSelected") == "true"
    quiet.run(
        "document.getElementById('opening').value = 'nowhere';"
        "document.getElementById('opening').dispatchEvent(new Event('input'))"
    )
    assert text_of(quiet, "count") == "no games"


def test_hostile_names_are_harmless(quiet: Browser, tmp_path: Path) -> None:
    plan, played = hostile_run()
    open_page(quiet, (plan, played), tmp_path)
    quiet.run(
        "document.querySelectorAll('#rows button').forEach(button => button.click());"
        "document.querySelectorAll('use').forEach("
        "use => use.dispatchEvent(new MouseEvent('click', {bubbles: true})))"
    )
    assert quiet.run("window.hacked === undefined")
    assert quiet.run("document.title") == plan.name
    assert HOSTILE[0] in text_of(quiet, "engine")
    assert quiet.run("document.querySelectorAll('script').length") == 2


def test_content_policy_blocks_injected_scripts(browser: Browser, tmp_path: Path) -> None:
    plan, played = made_up(size=3)
    text = page(summary(plan, played), plan.board)
    target = tmp_path / "page.html"
    target.write_text(text.replace("</main>", "<script>window.hacked=1</script></main>"), "utf-8")
    browser.open(target.as_uri())
    browser.until("!document.getElementById('list').hidden")
    assert browser.run("window.hacked === undefined")
    assert any("Content Security Policy" in said for said in browser.complaints)


@pytest.mark.parametrize("width", [360, 800, 1400])
@pytest.mark.parametrize("dark", [False, True])
def test_page_fits_the_window(quiet: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    quiet.look(dark=dark, width=width)
    open_page(quiet, made_up(("an-engine-with-a-rather-long-name", "bob", "cyd")), tmp_path)
    assert quiet.run("document.documentElement.scrollWidth") <= width
    ground = quiet.run("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(20, 24, 28)" if dark else "rgb(255, 255, 255)")


def test_a_page_without_games_says_so(quiet: Browser, tmp_path: Path) -> None:
    plan, _ = made_up()
    (tmp_path / "page.html").write_text(page(summary(plan, []), plan.board), "utf-8")
    quiet.open((tmp_path / "page.html").as_uri())
    quiet.until("!document.getElementById('problem').hidden")
    assert text_of(quiet, "problem") == "No games yet."
