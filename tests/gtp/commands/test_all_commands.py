"""The lists of commands, their help, and the parameter commands."""

from __future__ import annotations

import re

from gtp_session import Gtp, searching

from trivalent.bot.player import Limits
from trivalent.bot.players.registry import PLAYERS, make_player
from trivalent.gtp.commands.all_commands import COMMANDS, FAMILIES, commands_for
from trivalent.gtp.profiles.all_profiles import PROFILES


def test_every_command_says_what_it_does() -> None:
    for compat, profile in PROFILES.items():
        gtp = Gtp(compat=compat)
        commands = commands_for(profile)
        names = [command.name for command in commands]
        assert len(set(names)) == len(names)
        assert gtp.ok("list_commands").split("\n") == names
        usages = gtp.ok("help").split("\n")
        for command, usage in zip(commands, usages, strict=True):
            assert usage == f"{command.name} {command.usage}".rstrip()
            text = gtp.ok(f"help {command.name}")
            assert command.effect.endswith(".")
            assert command.effect in text
            assert not command.fails or f"Fails if {command.fails}." in text
    assert "unknown command" in Gtp().refused("help me")
    Gtp().refused("help a b")


def test_the_list_is_made_of_families_and_can_leave_out_files() -> None:
    assert [c for family in FAMILIES.values() for c in family] == list(COMMANDS)
    names = {command.name for command in commands_for(PROFILES["mohex"], files=False)}
    assert "play" in names
    assert "param_mohex" in names
    assert not {"loadsgf", "savesgf"} & names


def test_too_many_arguments_are_refused() -> None:
    for compat, profile in PROFILES.items():
        gtp = Gtp(compat=compat)
        for command in commands_for(profile):
            if "..." not in command.usage and command.name not in ("quit", "savesgf"):
                text = gtp.refused(f"{command.name} 1 2 3 4 5")
                assert text.startswith(("usage: ", "unacceptable size: usage: ")), command.name


def test_commands_that_need_arguments_say_which() -> None:
    for compat, profile in PROFILES.items():
        gtp = Gtp(compat=compat)
        for command in commands_for(profile):
            if command.usage and not command.usage.startswith("["):
                assert f"usage: {command.name} {command.usage}" in gtp.refused(command.name)


def test_parameter_commands_of_every_player() -> None:
    for player in PLAYERS:
        gtp = Gtp(make_player(player, {}))
        for name in ("param_game", "param_search", "param_player"):
            table = gtp.ok(name)
            assert table.startswith("\n[")
            for line in table[1:].split("\n"):
                match = re.fullmatch(r"\[(bool|string)\] ([a-z_]+) (\S+)", line)
                assert match
                _, key, value = match.groups()
                assert f"{key}={value}" in gtp.ok(f"{name} {key}")
                gtp.ok(f"{name} {key} {value}")
                gtp.refused(f"{name} {key} x")
                gtp.refused(f"{name} {key} {value} 1")
            assert gtp.ok(name) == table
            assert "known: " in gtp.refused(f"{name} nothing 1")
            gtp.refused(f"{name} nothing")


def test_zero_seconds_are_no_limit() -> None:
    """As 0 nodes and every other limit of 0."""
    gtp = Gtp(limits=Limits())
    assert "[string] seconds auto" in gtp.ok("param_search")
    for value in ("-1", "nan"):
        text = gtp.refused(f"param_search seconds {value}")
        assert text.startswith("seconds must be above 0")
    for value in ("0", "0.0", "auto"):
        gtp.ok("param_search seconds 2")
        assert "[string] seconds 2.0" in gtp.ok("param_search")
        gtp.ok(f"param_search seconds {value}")
        assert gtp.session.search.seconds is None
        assert "[string] seconds auto" in gtp.ok("param_search")


def test_entries_that_cannot_work_are_not_offered() -> None:
    for compat in ("none", "hexgui", "gogui"):
        lists = {}
        for game in ("hex", "y"):
            gtp = Gtp(compat=compat, game=game)
            lists[game] = gtp.ok("hexgui-analyze_commands").split("\n")
        assert set(lists["hex"]) - set(lists["y"]) == {"string/HexWorld Link/trivalent-link"}


def test_parameters_take_effect() -> None:
    gtp = searching()
    gtp.ok("param_search nodes 50")
    assert "after 50 positions" in gtp.ok("trivalent-search b")
    gtp.ok("param_search nodes 70")
    assert "after 50 positions" in gtp.ok("trivalent-search b")  # of the latest search
    gtp.ok("param_player seed 4")
    assert "after 70 positions" in gtp.ok("trivalent-search b")
    gtp.ok("param_player resign 1")
    assert [gtp.ok("genmove b") == "resign" for _ in range(3)] == [False, False, True]
    assert "at most 1.0" in gtp.refused("param_player resign 1.5")
