"""The EVM: running recorded programs on a node, reading state off it, comparing the traces."""
