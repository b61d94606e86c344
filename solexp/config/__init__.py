"""From Hydra YAML to a run's parts."""

from solexp.config.build import Execution, RunSpec, build, check, tracking_settings
from solexp.config.compose import compose
from solexp.config.search_path import conf_folder, register

__all__ = [
    "Execution",
    "RunSpec",
    "build",
    "check",
    "compose",
    "conf_folder",
    "register",
    "tracking_settings",
]
