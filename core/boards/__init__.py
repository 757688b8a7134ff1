"""Boards that can't be reduced, as graphs: bent Y, *Star and Renkula! [RP]."""
