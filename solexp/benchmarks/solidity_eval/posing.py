"""A row as a task."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import msgspec

from solexp.benchmarks.functions import Found, all_functions, framework
from solexp.benchmarks.solidity_eval.archives import unpack
from solexp.benchmarks.solidity_eval.construction import stand
from solexp.benchmarks.solidity_eval.rows import Row
from solexp.core import (
    CompilerSettings,
    DataError,
    Deployment,
    SolexpError,
    Target,
    Task,
    Workspace,
)
from solexp.core.workspace import STUB
from solexp.solidity.comments import without_comments
from solexp.solidity.foundry.settings import CONFIG, read_profile
from solexp.solidity.functions import Member, body_of
from solexp.solidity.functions.heads import heads_in, parentheses
from solexp.solidity.functions.types import loose
from solexp.solidity.lexing import brace_pairs, mask

MANIFEST = "manifest.json"


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What solexp's own rows say in their manifest beyond what any row says."""

    deployment: Deployment | None = None
    """How the contract was deployed, where that is known."""
    documentation: str = ""
    """The function's, where the source has none."""


class _Manifest(msgspec.Struct):
    solexp: Known = Known()


def pose(row: Row, place: str) -> Task:
    """The task of a row. Raises DataError that names row and field where its archives are not what they must be."""
    path = f"src/{row.contract_name}.sol"
    files = _texts(row.workspace_tar, place, "workspace_tar")
    scoring = _texts(row.scoring_tar, place, "scoring_tar")
    origin_path = f"origin/{row.contract_name}.sol"
    for name, found, key in (
        (CONFIG, files, "workspace_tar"),
        (path, files, "workspace_tar"),
        (MANIFEST, scoring, "scoring_tar"),
        (origin_path, scoring, "scoring_tar"),
    ):
        if name not in found:
            raise DataError(f"{place}: {key} has no {name}")
    origin = scoring[origin_path]
    known = _known(scoring[MANIFEST], place)
    member, name, around = _target(row, origin, files[path], place)
    standing = stand(origin, member.contract, known.deployment)
    said = member.natspec or known.documentation
    return Task(
        id=row.task_id,
        benchmark="solidity_eval",
        compiler=_settings(row, files, place),
        sources={**_others(files, path), path: origin},
        target=Target(
            path=path, contract=member.contract, start=member.start, end=member.end, member=name
        ),
        framework=framework(origin, member, around),
        context=row.prompt_context,
        requirement=said or f"Complete {member.signature} of {member.contract}.",
        program=standing.program,
        category=row.domain or None,
        facts={
            "address": row.contract_address,
            "domain": row.domain,
            "pragma": row.pragma,
            "pragma_series": row.pragma_major_minor,
            "deployed_contract": standing.contract,
            "signature": member.signature,
            "member": member.kind,
            "visibility": member.visibility,
            "documented": bool(said),
            "canaries": len(row.canary_substrings),
        },
        undecidable=standing.why_not,
        workspace=Workspace(files=files, canaries=row.canary_substrings),
    )


def is_stub(source: str, member: Member) -> bool:
    """Whether a function's body is the stub and nothing else, comments aside."""
    body = without_comments(body_of(source, member))[1:-1]
    return "".join(body.split()) == "".join(STUB.split())


def _texts(text: str, place: str, key: str) -> dict[str, str]:
    try:
        return {name: data.decode() for name, data in unpack(text).items()}
    except DataError as error:
        raise DataError(f"{place}: {key}: {error}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{place}: {key} holds a file that is no UTF-8 text: {error}") from None


def _known(manifest: str, place: str) -> Known:
    """What is known from a manifest. Those of other makers say nothing that is needed, but must be JSON."""
    try:
        read: Any = msgspec.json.decode(manifest)
        if not isinstance(read, dict):
            raise DataError(f"{place}: scoring_tar: {MANIFEST} is no JSON object")
        return msgspec.convert(read, _Manifest).solexp
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise DataError(f"{place}: scoring_tar: {MANIFEST}: {error}") from None


def _settings(row: Row, files: dict[str, str], place: str) -> CompilerSettings:
    try:
        profile = read_profile({name: text.encode() for name, text in files.items()}, "workspace")
        profile = msgspec.structs.replace(profile, solc=row.resolved_solc_version)
        return profile.compiler({}, ())
    except SolexpError as error:
        raise DataError(f"{place}: workspace_tar: {error}") from None


def _others(files: dict[str, str], path: str) -> dict[str, str]:
    """Further sources that the contract may import."""
    return {
        name: text
        for name, text in files.items()
        if name != path and name.endswith(".sol") and not name.endswith((".t.sol", ".s.sol"))
    }


def _target(row: Row, origin: str, stubbed: str, place: str) -> Found:
    """The function of the original that the row wants.

    It has the signature, its body in the workspace is the stub, and where that leaves several it is the contract's own.
    """
    stubs = {
        (member.contract, name)
        for member, name, _ in all_functions(stubbed)
        if is_stub(stubbed, member)
    }
    if not stubs:
        raise DataError(
            f"{place}: workspace_tar: no body in src/{row.contract_name}.sol is {{ {STUB} }}"
        )
    wanted = _signature(row.target_function_signature)
    found = [
        each
        for each in all_functions(origin)
        if (each[0].contract, each[1]) in stubs and not is_stub(origin, each[0])
    ]
    alike = [each for each in found if loose(each[0].signature) == wanted] or [
        each for each in found if each[0].name == wanted.partition("(")[0]
    ]
    own = [each for each in alike if each[0].contract == row.contract_name] or alike
    if len(own) != 1:
        which = "no function" if not own else f"{len(own)} functions"
        raise DataError(
            f"{place}: target_function_signature: {which} of {PurePosixPath(row.contract_name).name} with a stub for a "
            f"body matches '{row.target_function_signature[:80]}'"
        )
    return own[0]


def _signature(text: str) -> str:
    """The canonical signature in what may be a head as written."""
    head = text if text.lstrip().startswith("function") else f"function {text}"
    masked = mask(f"{head.rstrip(';{ ')};")
    for found, _ in heads_in(masked, 0, len(masked), brace_pairs(masked), parentheses(masked)):
        return loose(found.signature)
    return loose(text.strip())
