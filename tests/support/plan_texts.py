"""Texts of small plans, for tests that parse them."""

from pathlib import Path

from trivalent.tools.tournament.plan.plan_file import parse
from trivalent.tools.tournament.plan.plan_model import Plan

HERE = Path(__file__).parent
HEAD = "size = 5\nclock = { nodes = 10 }\n"
TWO = """
[engines.a]
player = "mcts"
[engines.b]
player = "uct"
"""
THREE = f'{TWO}[engines.c]\nplayer = "random"\n'


def read(head: str = HEAD, engines: str = TWO) -> Plan:
    return parse(head + engines, HERE)
