"""What is kept on disk: run folders, and answers under the hash of their question."""

from solexp.store.cache import Store
from solexp.store.runfolder import RunFolder, TaskRow

__all__ = ["RunFolder", "Store", "TaskRow"]
