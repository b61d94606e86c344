"""Python as the thing to write: literals, contracts, and programs in replies."""
