"""The script that the sandbox's interpreter starts with: finds the modules beside it without importing solexp."""

import sys
import types
from pathlib import Path

HERE = Path(__file__).resolve().parent


def imports() -> None:
    """Let ``solexp.sandbox.inside`` be imported without the packages around it, which need more than is here."""
    for name, folder in (("solexp", HERE.parent.parent), ("solexp.sandbox", HERE.parent)):
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package


if __name__ == "__main__":
    imports()
    from solexp.sandbox.inside.zygote import main

    main()
