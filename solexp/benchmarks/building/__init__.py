"""Building sets of tasks from sources: reading, filtering, choosing what is to be written, and telling all of it."""
