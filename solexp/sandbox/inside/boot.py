"""The script that the sandbox's interpreter starts with: finds the modules beside it without importing solexp.

Imports as little as can be, since what others import on the way is there before the modules are warmed.
"""

# ruff: noqa: PTH100, PTH110, PTH118, PTH120

import builtins
import importlib.machinery
import os.path
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = "solexp.sandbox.inside"
BUILTINS = dict(vars(builtins))


class _Loader(importlib.machinery.SourceFileLoader):
    """Gives a module builtins of its own, which stay what they are whatever a program rebinds."""

    def exec_module(self, module: types.ModuleType) -> None:
        vars(module)["__builtins__"] = BUILTINS
        super().exec_module(module)


class _Finder:
    """Finds the modules of this package, without the packages around it, which need more than is here."""

    @staticmethod
    def find_spec(name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        package, own = name.rpartition(".")[::2]
        place = os.path.join(HERE, f"{own}.py")
        if package != PACKAGE or not os.path.exists(place):
            return None
        return importlib.machinery.ModuleSpec(name, _Loader(name, place), origin=place)


if __name__ == "__main__":
    for around in ("solexp", "solexp.sandbox", PACKAGE):
        sys.modules[around] = types.ModuleType(around)
        sys.modules[around].__path__ = []
    sys.meta_path.insert(0, _Finder)
    if sys.argv[1:] == ["enclosed"]:
        from solexp.sandbox.inside.enclosed import main
    else:
        from solexp.sandbox.inside.zygote import main

    main()
