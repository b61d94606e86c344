"""Foundry projects: keeping their files, cutting them down to what some tests need, and running the tests."""
