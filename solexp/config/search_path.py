"""Where Hydra looks for configuration besides solexp's own: the presets, and the user's folders."""

from __future__ import annotations

from pathlib import Path

from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.plugins import Plugins
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import OmegaConf

from solexp.toolchain.homes import data_home

_PACKAGE = Path(__file__).resolve().parent.parent


def _shipped(folder: str) -> Path:
    """A configuration folder: inside the package when installed, beside it in a checkout."""
    inside = _PACKAGE / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder


def conf_folder() -> Path:
    """The folder of solexp's own groups."""
    return _shipped("conf")


def experiments_folder() -> Path:
    """The folder of solexp's own presets."""
    return _shipped("experiments")


class SolexpSearchPath(SearchPathPlugin):
    """Adds the folder that holds ``experiments/``, and the user's own ``conf/`` and ``experiments/``.

    A group is named after its folder, so ``experiments=NAME`` finds ``experiments/NAME.yaml`` in the
    working folder as well as in solexp. solexp's own come first: a name cannot be taken over silently.
    """

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        shipped = experiments_folder().parent
        search_path.append("solexp", f"file://{shipped}")
        here = Path.cwd()
        if here != shipped:
            if (here / "conf").is_dir():
                search_path.append("user", f"file://{here / 'conf'}")
            if (here / "experiments").is_dir():
                search_path.append("user", f"file://{here}")


def register() -> None:
    """Make Hydra ask `SolexpSearchPath`. Calling it again changes nothing."""
    Plugins.instance().register(SolexpSearchPath)


def _data(relative: str = "") -> str:
    return str(data_home() / relative)


OmegaConf.register_new_resolver("solexp.data", _data, replace=True)
