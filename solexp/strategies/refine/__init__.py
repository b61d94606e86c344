"""Asking again, with what came of the last answer."""
