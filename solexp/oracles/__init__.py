"""What judges candidates: whether they compile, and whether they behave as the original over its history."""
