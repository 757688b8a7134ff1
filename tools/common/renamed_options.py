"""Former names of options: still accepted, hidden from the help, and answered with a warning."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def accept_former_name(
    parser: argparse._ActionsContainer, former: str, option: argparse.Action
) -> None:
    """Accept ``former`` as a hidden name of an option, with a warning on standard error."""
    parser.add_argument(former, action=_FormerName, option=option)


class _FormerName(argparse.Action):
    """Warns, then does what the option under its present name does."""

    def __init__(self, option_strings: Sequence[str], dest: str, option: argparse.Action) -> None:
        del dest
        super().__init__(
            option_strings,
            option.dest,
            nargs=option.nargs,
            default=argparse.SUPPRESS,
            type=option.type,  # type: ignore[arg-type]  # the stubs differ on names of types
            choices=option.choices,
            metavar=option.metavar,
            help=argparse.SUPPRESS,
        )
        self._option = option

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,  # noqa: ANN401  whatever the option takes
        option_string: str | None = None,
    ) -> None:
        present = self._option.option_strings[0]
        sys.stderr.write(f"{parser.prog}: warning: {option_string} is now called {present}\n")
        self._option(parser, namespace, values, option_string)
