"""Contracts and their histories, from an explorer's API and an archive node."""
