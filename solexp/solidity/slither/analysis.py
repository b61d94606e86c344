"""Running Slither's detectors, in this process. Importing this takes seconds: only the analysing process does."""

from __future__ import annotations

import inspect
from typing import Any

from crytic_compile import CryticCompile
from crytic_compile.compilation_unit import CompilationUnit
from crytic_compile.compiler.compiler import CompilerVersion
from crytic_compile.platform.abstract_platform import AbstractPlatform
from crytic_compile.platform.types import Type
from crytic_compile.utils.naming import Filename
from slither import Slither  # type: ignore[import-untyped]
from slither.detectors import all_detectors  # type: ignore[import-untyped]
from slither.detectors.abstract_detector import (  # type: ignore[import-untyped]
    AbstractDetector,
    DetectorClassification,
    classification_txt,
)

from solexp.solidity.slither.findings import (
    CONFIDENCES,
    IMPACTS,
    Analysis,
    Element,
    Finding,
    Subject,
    Thresholds,
)

_ROOT = "/sources/"
"""Where sources seem to lie. None is on disk, so that no path of a candidate's is ever opened."""


class _Built(AbstractPlatform):
    """A build that is there already, as crytic-compile wants to see it."""

    NAME = "solexp"
    PROJECT_URL = "https://docs.soliditylang.org/en/latest/using-the-compiler.html"
    TYPE = Type.SOLC_STANDARD_JSON

    def __init__(self, subject: Subject) -> None:
        super().__init__("solexp")
        self._subject = subject

    def compile(self, crytic_compile: CryticCompile, **_: Any) -> None:
        unit = CompilationUnit(crytic_compile, "solexp")
        unit.compiler_version = CompilerVersion(
            compiler="solc", version=self._subject.version, optimized=False
        )
        for path, ast in self._subject.asts.items():
            name = Filename(absolute=_ROOT + path, used=path, relative=path, short=path)
            unit.create_source_unit(name).ast = ast
        crytic_compile.src_content = {
            _ROOT + path: text for path, text in self._subject.sources.items()
        }

    def clean(self, **_: Any) -> None:
        """There is nothing on disk."""

    @staticmethod
    def is_supported(target: str, **_: Any) -> bool:  # noqa: ARG004
        return False

    def is_dependency(self, _path: str) -> bool:
        return False

    def _guessed_tests(self) -> list[str]:
        return []


def detectors(thresholds: Thresholds) -> list[type[AbstractDetector]]:
    """Slither's detectors of at least this impact and confidence, by name."""
    # Slither's ratings fall as their numbers rise.
    impact = IMPACTS.index(thresholds.impact)
    confidence = CONFIDENCES.index(thresholds.confidence)
    found: set[type[AbstractDetector]] = {
        each
        for each in vars(all_detectors).values()
        if inspect.isclass(each) and issubclass(each, AbstractDetector)
    } - {AbstractDetector}
    return sorted(
        (d for d in found if _rank(d.IMPACT) <= impact and _rank(d.CONFIDENCE) <= confidence),
        key=lambda detector: detector.ARGUMENT,
    )


def _rank(rating: DetectorClassification) -> int:
    return IMPACTS.index(_word(rating))


def _word(rating: DetectorClassification) -> str:
    return str(classification_txt[rating]).lower()


def analyse(subject: Subject) -> Analysis:
    """What the detectors find. Raises whatever Slither raises."""
    # A comment that silences a detector is the candidate's own opinion of itself.
    slither = Slither(CryticCompile(_Built(subject)), show_ignored_findings=True)
    findings = []
    for detector in detectors(subject.thresholds):
        slither.register_detector(detector)
    for instance, results in zip(slither.detectors, slither.run_detectors(), strict=True):
        findings += [_finding(instance, result) for result in results]
    order = sorted(findings, key=lambda f: (f.detector, f.description))
    return Analysis(findings=tuple(order))


def _finding(detector: AbstractDetector, result: dict[str, Any]) -> Finding:
    return Finding(
        detector=detector.ARGUMENT,
        impact=_word(detector.IMPACT),  # type: ignore[arg-type]
        confidence=_word(detector.CONFIDENCE),  # type: ignore[arg-type]
        description=result["description"].strip(),
        elements=tuple(
            _element(element) for element in result["elements"] if "source_mapping" in element
        ),
    )


def _element(element: dict[str, Any]) -> Element:
    at = element["source_mapping"]
    return Element(
        type=element["type"],
        name=_name(element),
        path=at["filename_used"] if "filename_used" in at else at["filename_relative"],
        start=at["start"],
        end=at["start"] + at["length"],
    )


def _name(element: dict[str, Any]) -> str:
    """The qualified name of what stands, with those of the function for what is inside of one."""
    fields = element.get("type_specific_fields") or {}
    parent = fields.get("parent")
    own = str(fields.get("signature") or element["name"])
    if parent is None:
        return own
    if parent["type"] == "function":
        return _name(parent)
    return f"{_name(parent)}.{own}"
