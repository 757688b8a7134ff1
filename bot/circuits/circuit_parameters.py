"""The parameters of the circuit players, and the presets that make players of them [AHH, III]."""

from __future__ import annotations

import dataclasses
from typing import Any

from trivalent.bot.book.book_parameters import book_parameter, book_random_parameter
from trivalent.bot.knowledge.virtual_connections import LIMITS
from trivalent.bot.parameters import Parameters, choice, parameter
from trivalent.bot.player import RESIGN_MEANING

NO_CONNECTIONS = "none"


@dataclasses.dataclass(frozen=True)
class CircuitParameters(Parameters):
    """Parameters of all circuit players.  The defaults are those of `wolve`."""

    seed: int = parameter(
        0,
        "random seed; in a symmetric position it decides between a move and its mirror image",
        low=0,
        high=2**64 - 1,
        keeps_tree=True,
    )
    resign: float = parameter(0.0, RESIGN_MEANING, low=0.0, high=1.0, keeps_tree=True)
    threads: int = parameter(
        0,
        "with more than 1, a second thread tries to solve the position during the search; 1 tries "
        "so before it for two fifths of the time; neither does with a node limit; 0 uses all cores",
        low=0,
        high=256,
        keeps_tree=True,
    )
    memory: int = parameter(
        64,
        "memory of the transposition table in MiB, and of the solver's if it runs",
        low=1,
        high=65_535,
    )
    machine: str = choice(
        "circuits",
        ("circuits", "charges"),
        "circuits gives each colour a network whose current goes through the cells that matter; "
        "charges puts a positive charge on black stones and sides and a negative one on White's, "
        "plays at a saddle point of their potential, and uses no parameters but seed and resign",
    )
    energy: str = choice(
        "both",
        ("own", "both"),
        "whose currents through a cell make the order of moves: those of the side to move, or the "
        "sum of both colours'",
    )
    connections: str = choice(
        "wide",
        (NO_CONNECTIONS, *(name for name in LIMITS if name != "all")),
        "virtual connections that become wires, and end a search if they join the sides: the "
        "limits of H-search, or none",
    )
    bridges: bool = parameter(
        default=False, meaning="bridges between empty cells conduct, a third as well as neighbours"
    )
    cell_conductance: float = parameter(
        1.0,
        "conductance of a wire between two empty cells that are virtually connected, other than by "
        "a bridge, divided by 1 plus the number of cells that all their connections need; the "
        "limits wide find such connections",
        low=0.0,
        high=1000.0,
    )
    semi_conductance: float = parameter(
        0.3,
        "conductance of a wire between a chain and a cell that its owner can connect by moving "
        "first, divided likewise; 0: no such wires",
        low=0.0,
        high=1000.0,
    )
    chain_conductance: float = parameter(
        0.0,
        "conductance of a wire between two chains that are virtually connected, divided likewise; "
        "0: no such wires",
        low=0.0,
        high=1000.0,
    )
    fill_in: bool = parameter(
        default=True,
        meaning="give dead and captured cells stones, and leave out moves that a reply makes dead",
    )
    mustplay: bool = parameter(
        default=True, meaning="leave out moves that stop no threat of the opponent to connect"
    )
    depth: int = parameter(
        12,
        "plies of the deepest search, after searches of 1, 2, 4, ... plies; 0 plays the move of "
        "the highest energy without a search",
        low=0,
        high=12,
    )
    root_width: int = parameter(
        10, "moves tried first, those of the highest energy", low=1, high=256
    )
    width: int = parameter(5, "moves tried at each later ply", low=1, high=256)
    energy_weight: float = parameter(
        0.4,
        "how much moves of high energy are preferred: a search takes from the value of a move this "
        "times the logarithm of the highest energy of a move over its own",
        low=0.0,
        high=100.0,
    )
    solver_max_empties: int = parameter(
        90,
        "most empty cells of a position that a player tries to solve; 0: never",
        low=0,
        high=256,
        keeps_tree=True,
    )
    book: str = book_parameter()
    book_random: float = book_random_parameter()


def _preset(name: str, **defaults: float | str) -> type[CircuitParameters]:
    """Return the parameters with other defaults."""
    declared = {field.name: field for field in dataclasses.fields(CircuitParameters)}
    changed: list[tuple[str, Any, Any]] = []
    for key, value in defaults.items():
        field = dataclasses.field(default=value, metadata=declared[key].metadata)
        changed.append((key, declared[key].type, field))
    return dataclasses.make_dataclass(
        f"{name.title().replace('-', '')}Parameters",
        changed,
        bases=(CircuitParameters,),
        namespace={"__module__": __name__, "__doc__": f"Parameters with the defaults of {name}."},
        frozen=True,
    )


WOLVE = CircuitParameters
SIX = _preset(
    "six", connections="quick", bridges=True, cell_conductance=0.0, semi_conductance=0.0,
    mustplay=False, depth=2, root_width=20, width=15, energy_weight=0.0,
    solver_max_empties=0,
)  # fmt: skip
HEXY = _preset(
    "hexy", connections="quick", bridges=True, cell_conductance=0.0, semi_conductance=0.0,
    fill_in=False, mustplay=False, depth=1, root_width=20, energy_weight=0.0,
    solver_max_empties=0,
)  # fmt: skip
SHANNON = _preset(
    "shannon",
    energy="own",
    connections=NO_CONNECTIONS,
    cell_conductance=0.0,
    semi_conductance=0.0,
    fill_in=False,
    mustplay=False,
    depth=0,
    solver_max_empties=0,
)
SHANNON_FIELD = _preset(
    "shannon-field",
    machine="charges",
    energy="own",
    connections=NO_CONNECTIONS,
    cell_conductance=0.0,
    semi_conductance=0.0,
    fill_in=False,
    mustplay=False,
    depth=0,
    solver_max_empties=0,
)
