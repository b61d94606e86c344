"""Slither (Feist et al. 2019) on builds that are there already: nothing is compiled for it."""
