"""The TCP server under load: many commands, games and connections."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

import pytest
from sockets import LONG

from pipes import needs_proc

if TYPE_CHECKING:
    from collections.abc import Callable

    from sockets import Client, Served


@needs_proc
def test_twenty_thousand_commands_in_flat_memory(serve: Callable[..., Served]) -> None:
    server = serve()
    count, batches = 2_000, 10
    with server.client() as client:
        client.ask("name")
        memory = []
        for batch in range(batches):
            numbers = range(batch * count, (batch + 1) * count)
            lines = b"".join(b"%d name\n" % i for i in numbers)
            sender = threading.Thread(target=client.send, args=(lines,))
            sender.start()
            for i in numbers:
                assert client.reply() == b"=%d Trivalent" % i
            sender.join()
            memory.append(server.status("VmRSS", server.children()[0]))
        assert memory[-1] - memory[3] < 2000


def play_games(clients: list[Client], moves: int) -> list[list[bytes]]:
    """Let all clients play a game at the same time; return the moves of each."""
    games: list[list[bytes]] = [[] for _ in clients]
    for number in range(moves):
        for client in clients:
            client.send(b"genmove w\n" if number % 2 else b"genmove b\n")
        for client, game in zip(clients, games, strict=True):
            game.append(client.reply())
    return games


@pytest.mark.soak
@needs_proc
def test_64_games_at_once(serve: Callable[..., Served]) -> None:
    server = serve("--nodes", "200", "--seed", "1")
    before = server.descriptors(), server.status("VmRSS")
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(server.client()) for _ in range(64)]
        games = play_games(clients, 60)
        assert all(client.ask("showboard").count(b"\n") > 11 for client in clients)
    assert len(games[0]) == 60
    assert all(game == games[0] for game in games)
    assert len(set(games[0])) > 30
    assert {line["reason"] for line in server.wait_for("closed", 64)} == {"end of input"}
    assert server.children() == []
    assert server.descriptors() == before[0]
    assert server.status("VmRSS") - before[1] < 4000
    server.finish()


@pytest.mark.soak
@needs_proc
def test_ten_thousand_connections(serve: Callable[..., Served]) -> None:
    server = serve(*LONG)
    count = 10_000

    def visit(number: int) -> None:
        with server.client() as client:
            client.send(b"name\ngenmove b\n" if number % 2 else b"play b a1\nplay w a1\nquit\n")
            if number % 2:
                assert client.reply() == b"= Trivalent"  # then it starts to search
                client.kill()
            else:
                rest = client.rest()
                assert rest == b"= \n\n? illegal move: a1 is occupied\n\n= \n\n"

    with server.client() as witness:
        assert witness.ask("play w c3") == b"= "
        witness.send(b"7 lz-analyze b 100\n")
        for number in range(200):
            visit(number)
        server.wait_for("closed", 200)
        before = server.descriptors(), server.status("VmRSS")
        for number in range(200, count):
            visit(number)
        closed = server.wait_for("closed", count)
        assert server.descriptors() == before[0]
        assert server.status("VmRSS") - before[1] < 4000
        assert len(server.children()) == 1
        assert server.log("refused") == []
        assert {line["code"] for line in closed} == {0}
        witness.send(b"play w c3\n")
        while not (reply := witness.reply()).startswith(b"?"):
            assert reply.startswith(b"=7 \ninfo move ")
        assert reply == b"? illegal move: c3 is occupied"
    server.wait_for("closed", count + 1)
    server.finish()
