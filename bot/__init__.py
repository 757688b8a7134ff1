"""Everything that decides on a move: players, search, clock."""

from trivalent.bot.mcts import analyse as analyse
