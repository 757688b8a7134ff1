"""Commands that load and save game records."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gtp_session import Gtp

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_saved_game_can_be_loaded(tmp_path: Path) -> None:
    gtp = Gtp()
    gtp.ok("param_game allow_swap 1", "play-game b1 swap-pieces c3 d3")
    history = gtp.session.position.history
    path = tmp_path / "a game.sgf"
    gtp.ok(f'savesgf "{path}"', "boardsize 9", f'loadsgf "{path}"')
    assert gtp.session.position.history == history
    assert [entry.name for entry in tmp_path.iterdir()] == ["a game.sgf"]
    gtp.ok("genmove b", f'loadsgf "{path}" 2')
    assert gtp.stones() == {"a2": "w"}
    gtp.ok("undo", f'loadsgf "{path}" 0')
    assert gtp.stones() == {}
    gtp.ok(f'loadsgf "{path}" 99')
    assert gtp.session.position.history == history


def test_loadsgf_follows_the_main_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "x.sgf"
    path.write_text("(;GM[11]SZ[4:5]AB[a1]AW[b2];B[c3](;W[d4];B[a5])(;W[a4]))", encoding="ascii")
    gtp = Gtp()
    gtp.ok(f"loadsgf {path} 1")
    assert gtp.stones() == {"a1": "b", "b2": "w", "c3": "b"}
    gtp.ok(f"loadsgf {path}")
    assert gtp.stones() == {"a1": "b", "b2": "w", "c3": "b", "d4": "w", "a5": "b"}
    assert not caplog.text
    path.write_text("(;GM[11]SZ[4:5];B[c3];W[z9];B[a1])", encoding="ascii")
    gtp.ok(f"loadsgf {path}")
    assert "x.sgf:1:" in caplog.text


def test_unreadable_and_unwritable_files_are_refused(tmp_path: Path) -> None:
    gtp = Gtp()
    gtp.ok("play b a1")
    path = tmp_path / "x"
    path.write_bytes(b"\x00\xff nothing")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # opening it would block until somebody writes to it
    for name in (path, tmp_path, tmp_path / "none", "/dev/null", pipe, "x" * 300, path / "y", "/"):
        assert gtp.refused(f"loadsgf {name}").startswith("cannot load file")
        assert gtp.refused(f"loadsgf {name} 1").startswith("cannot load file")
    for words in (f"{path} x", f"{path} 1 2", f"{path} -1", "", '"', '""', f'"{path}'):
        assert gtp.refused(f"loadsgf {words}").startswith("usage: ")
    for name in (tmp_path, tmp_path / "no" / "where", pipe, "x" * 300, path / "y", "/", ".", ".."):
        refusal = gtp.refused(f"savesgf {name}")
        assert refusal.startswith("cannot save file")
        assert f".{os.getpid()}" not in refusal  # the name of the temporary file
    assert gtp.refused("savesgf").startswith("usage: ")
    assert {entry.name for entry in tmp_path.iterdir()} == {"x", "pipe"}
    assert pipe.is_fifo()


def test_saving_through_a_symbolic_link_keeps_the_link(tmp_path: Path) -> None:
    gtp = Gtp()
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to(file)
    for lines in (("play b a1",), ("play w b2",)):
        gtp.ok(*lines, f"savesgf {link}")
        assert link.is_symlink()
        assert not file.is_symlink()
    gtp.ok("clear_board", f"loadsgf {link}")
    assert gtp.stones() == {"a1": "b", "b2": "w"}
