"""Finding and installing the tools that solexp drives: Node, Foundry and Solidity compilers."""
