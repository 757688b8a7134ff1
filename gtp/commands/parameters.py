"""The commands that show and change parameters, made from the declarations of the parameters."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trivalent.bot.parameters import Parameters
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session


def parameter_command(
    name: str,
    label: str,
    effect: str,
    get: Callable[[Session], Parameters],
    put: Callable[[Session, dict[str, str]], None],
) -> Command:
    """Return the command that shows and changes the parameters of one component."""

    def handler(session: Session, arguments: Arguments) -> str:
        parameters = get(session)
        arguments.expect(0, 2)
        if not len(arguments):
            return table(dataclasses.asdict(parameters))
        key, *value = arguments.words
        try:
            if not value:
                return parameters.explain(key)
            put(session, {key: value[0]})
        except ValueError as error:
            raise GtpError(str(error)) from None
        return ""

    return Command(
        name,
        handler,
        "[KEY [VALUE]]",
        f"{effect}: all, the meaning of one, or a new value for one.",
        "there is no such parameter, or the value is not in its range",
        hexgui=f"param/{label}/{name}",
    )


def table(values: Mapping[str, float | str]) -> str:
    """Return values by name in the form that HexGui's dialog edits."""
    lines = [
        f"[bool] {key} {int(value)}" if isinstance(value, bool) else f"[string] {key} {value}"
        for key, value in values.items()
    ]
    return "\n" + "\n".join(lines)


def _set_game(session: Session, values: dict[str, str]) -> None:
    session.game = session.game.updated(values)


def _set_search(session: Session, values: dict[str, str]) -> None:
    session.search = session.search.updated(values)


PARAMETERS = (
    parameter_command(
        "param_game", "Game Parameters", "The rules", lambda session: session.game, _set_game
    ),
    parameter_command(
        "param_search",
        "Search Parameters",
        "How long a search may take",
        lambda session: session.search,
        _set_search,
    ),
    parameter_command(
        "param_player",
        "Player Parameters",
        "The parameters of the player",
        lambda session: session.player.parameters,
        lambda session, values: session.configure_player(values),
    ),
)
"""The parameter family."""
