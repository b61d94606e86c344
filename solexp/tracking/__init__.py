"""Tracking: run folders published to MLflow."""
