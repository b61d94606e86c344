"""Solidity: finding and asking compilers, parsing, extraction of code from replies, classes of compile errors."""
