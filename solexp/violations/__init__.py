"""Inputs that break exactly the chosen preconditions of a function, found by a solver."""
