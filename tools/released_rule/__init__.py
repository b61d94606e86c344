"""SolEval's released rule beside solexp's."""
