"""How the starter benchmark's recorded calls were made: scripted actors on a chain of their own.

``python -m solexp.benchmarks.starter.history`` writes every task's ``calls.jsonl`` anew and always writes the same. It
needs py-evm, which is among the development dependencies; nothing else in solexp does.
"""
