"""Commands that show and change parameters, generated from the declarations of the parameters."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from trivalent.bot.parameters import AUTO
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
    what: str,
    get: Callable[[Session], Parameters],
    put: Callable[[Session, dict[str, str]], None],
) -> Command:
    """Make the command that shows and changes the parameters of one component.

    ``get`` returns the parameters, ``put`` changes those that its dictionary names.
    """

    def handler(session: Session, arguments: Arguments) -> str:
        parameters = get(session)
        arguments.expect_count(0, 2)
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
        f"Lists {what}, explains KEY, or sets KEY to VALUE.",
        "the parameter does not exist, or the value is invalid",
        hexgui=f"param/{label}/{name}",
    )


def table(values: Mapping[str, float | str | None]) -> str:
    """Return values by name in the format of HexGui's parameter dialog."""
    lines = [
        f"[bool] {key} {int(value)}"
        if isinstance(value, bool)
        else f"[string] {key} {AUTO if value is None else value}"
        for key, value in values.items()
    ]
    return "\n" + "\n".join(lines)


def _set_game(session: Session, values: dict[str, str]) -> None:
    session.game = session.game.updated(values)


def _set_search(session: Session, values: dict[str, str]) -> None:
    session.search = session.search.updated(values)


PARAMETERS = (
    parameter_command(
        "param_game",
        "Game Parameters",
        "the rules of the game",
        lambda session: session.game,
        _set_game,
    ),
    parameter_command(
        "param_search",
        "Search Parameters",
        "the search limits and the live-graphics setting",
        lambda session: session.search,
        _set_search,
    ),
    parameter_command(
        "param_player",
        "Player Parameters",
        "the parameters of the player",
        lambda session: session.player.parameters,
        lambda session, values: session.configure_player(values),
    ),
)
"""The parameter family."""
