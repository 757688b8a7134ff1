"""Engines for the tests of the protocol, over pipes and over TCP."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from sockets import Remote, Served

from pipes import PROGRAM, Engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="module", params=[Engine, Remote], ids=["pipes", "tcp"])
def start(request: pytest.FixtureRequest) -> type[Engine | Remote]:
    """The class that starts an engine: on pipes, or behind a server and `trivalent connect`."""
    carrier: type[Engine | Remote] = request.param
    return carrier


@pytest.fixture(scope="module")
def shared_engine(start: type[Engine | Remote]) -> Iterator[Engine]:
    """One engine for the tests of a module, which must end cleanly after them."""
    with start("--nodes", "20", "--boardsize", "5", "--seed", "1") as engine:
        yield engine
        engine.close_input()
        assert engine.finish() == b""


@pytest.fixture
def engine(shared_engine: Engine) -> Engine:
    """An engine with an empty 5x5 board, no swap and no clock."""
    shared_engine.succeed("boardsize 5", "param_game allow_swap 0", "time_settings 0 1 0")
    return shared_engine


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """A function that starts a server with some options; all servers end with the test."""
    with contextlib.ExitStack() as stack:
        yield lambda *options, program=PROGRAM: stack.enter_context(
            Served(tmp_path / "log", *options, program=program)
        )
