"""The compiler's standard JSON: our sources in, its answer read into a Build."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from solexp.core import (
    Build,
    CompileError,
    CompilerSettings,
    ContractBuild,
    Severity,
    ToolError,
    UserError,
)
from solexp.core.reply import well_formed
from solexp.solidity.taxonomy import CONTEXT_CHARS, classify

_OUTPUTS = (
    "abi",
    "storageLayout",
    "evm.methodIdentifiers",
    "evm.bytecode.object",
    "evm.bytecode.linkReferences",
    "evm.deployedBytecode.object",
    "evm.deployedBytecode.linkReferences",
)
_FORMATTED = re.compile(r":(\d+):(\d+): ")
_CARETS = re.compile(r"^\s*(\^(?:-*\^)?)$", re.MULTILINE)
_SEVERITIES = {severity.value: severity for severity in Severity}
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


def request(
    sources: dict[str, str],
    settings: CompilerSettings,
    *,
    ast: bool = False,
    code: bool = True,
) -> bytes:
    """The standard-JSON input: code is asked for, so that whatever code generation refuses is an error.

    Without ``code`` the compiler only parses and checks types, which is many times quicker. The same question gives the
    same bytes, whatever the order of the sources.
    """
    for name, address in settings.libraries.items():
        if not _ADDRESS.fullmatch(address):
            raise UserError(
                f"library {name!r}: {address!r} is no address; give 0x and 40 hex digits"
            )
    body: dict[str, Any] = {
        "language": "Solidity",
        "sources": {path: {"content": well_formed(text)} for path, text in sources.items()},
        "settings": {
            "optimizer": {"enabled": settings.optimizer, "runs": settings.runs},
            "remappings": list(settings.remappings),
            "outputSelection": {
                "*": {"*": list(_OUTPUTS) if code else [], "": ["ast"] if ast else []}
            },
        },
    }
    if settings.evm_version is not None:
        body["settings"]["evmVersion"] = settings.evm_version
    if settings.via_ir:
        body["settings"]["viaIR"] = True
    if settings.libraries:
        body["settings"]["libraries"] = {path: dict(settings.libraries) for path in sources}
    return msgspec.json.encode(body, order="deterministic")


class _Code(msgspec.Struct):
    object: str = ""
    linkReferences: dict[str, dict[str, list[dict[str, int]]]] = {}  # noqa: N815


class _Evm(msgspec.Struct):
    bytecode: _Code = msgspec.field(default_factory=_Code)
    deployedBytecode: _Code = msgspec.field(default_factory=_Code)  # noqa: N815
    methodIdentifiers: dict[str, str] | None = None  # noqa: N815


class _Contract(msgspec.Struct):
    abi: list[dict[str, Any]] | None = None
    evm: _Evm = msgspec.field(default_factory=_Evm)
    storageLayout: dict[str, Any] | None = None  # noqa: N815


class _Location(msgspec.Struct):
    file: str | None = None
    start: int = -1
    end: int = -1


class _Message(msgspec.Struct):
    type: str = "Error"
    message: str | None = None
    severity: str = "error"
    errorCode: str | None = None  # noqa: N815
    formattedMessage: str | None = None  # noqa: N815
    sourceLocation: _Location | None = None  # noqa: N815


class _Source(msgspec.Struct):
    ast: Any = None
    legacyAST: Any = None  # noqa: N815


class _Answer(msgspec.Struct):
    contracts: dict[str, dict[str, _Contract]] = {}
    errors: list[_Message] = []
    sources: dict[str, _Source] = {}


def read(
    answer: bytes,
    compiler: str,
    sources: dict[str, str],
    settings: CompilerSettings,
    *,
    ast: bool = False,
) -> Build:
    """The Build in a standard-JSON answer, its errors without kinds. Raises ToolError when it is no such answer."""
    try:
        body = msgspec.json.decode(answer.decode("utf-8", "replace"), type=_Answer)
    except msgspec.DecodeError as error:
        raise ToolError(f"solc {compiler}: the answer cannot be read: {error}") from error
    texts = _Texts(sources)
    messages = [_message(message, texts) for message in body.errors]
    return Build(
        compiler=compiler,
        contracts=tuple(
            _contract(path, name, contract, settings.libraries)
            for path, contracts in sorted(body.contracts.items())
            for name, contract in sorted(contracts.items())
        ),
        errors=tuple(m for m in messages if m.severity is Severity.ERROR),
        warnings=tuple(m for m in messages if m.severity is not Severity.ERROR),
        asts={path: source.ast or source.legacyAST for path, source in body.sources.items()}
        if ast
        else None,
    )


def with_kinds(build: Build, sources: dict[str, str]) -> Build:
    """The build with every error's kind.

    Kinds are told when a build is handed out and are not kept with it, so that the taxonomy can grow without compiling
    again.
    """
    if build.ok:
        return build
    texts = _Texts(sources)
    errors = tuple(
        msgspec.structs.replace(
            error,
            kind=classify(error.type, error.message, *texts.around(error.path, error.start)),
        )
        for error in build.errors
    )
    return msgspec.structs.replace(build, errors=errors)


class _Texts:
    """The sources as the compiler saw them; each is encoded once, and only when a message asks."""

    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources
        self._bytes: dict[str, bytes] = {}

    def text(self, path: str) -> bytes:
        if path not in self._bytes:
            self._bytes[path] = well_formed(self._sources[path]).encode()
        return self._bytes[path]

    def place(self, message: _Message) -> tuple[str | None, int | None, int | None]:
        """Path and byte span of a message, as far as it tells."""
        at = message.sourceLocation
        if at is None:
            return self._formatted_place(message.formattedMessage or "")
        if at.file not in self._sources or at.start < 0:
            return at.file, None, None
        return at.file, at.start, max(at.start, at.end)

    def line(self, path: str, start: int) -> int:
        return self.text(path).count(b"\n", 0, start) + 1

    def around(self, path: str | None, start: int | None) -> tuple[str, str]:
        """The end of the source before ``start`` and its beginning from there; empty where a message has no place."""
        if path not in self._sources or start is None:
            return "", ""
        text = self.text(path)
        before, at = (
            text[max(0, start - CONTEXT_CHARS) : start],
            text[start : start + CONTEXT_CHARS],
        )
        return before.decode("utf-8", "replace"), at.decode("utf-8", "replace")

    def _formatted_place(self, formatted: str) -> tuple[str | None, int | None, int | None]:
        """Before 0.4.21 the place stands in the formatted text alone: ``path:line:column``, then carets."""
        for path in sorted(self._sources, key=len, reverse=True):
            match = _FORMATTED.match(formatted, len(path)) if formatted.startswith(path) else None
            if match is None:
                continue
            lines = self.text(path).split(b"\n")
            line, column = int(match[1]), int(match[2])
            if line > len(lines):
                return path, None, None
            start = sum(map(len, lines[: line - 1])) + line - 1 + column - 1
            carets = _CARETS.search(formatted)
            if carets is None or "multiple lines" in formatted:
                return path, start, None
            return path, start, start + len(carets[1])
        return None, None, None


def _message(message: _Message, texts: _Texts) -> CompileError:
    path, start, end = texts.place(message)
    severity = _SEVERITIES.get(message.severity, Severity.ERROR)
    text = message.message or message.formattedMessage or ""
    return CompileError(
        type=message.type,
        message=text,
        severity=severity,
        code=message.errorCode,
        path=path,
        start=start,
        end=end,
        line=texts.line(path, start) if path is not None and start is not None else None,
        formatted=message.formattedMessage,
    )


def _contract(
    path: str, name: str, contract: _Contract, libraries: dict[str, str]
) -> ContractBuild:
    creation, missing = _linked(contract.evm.bytecode, libraries)
    runtime, missing_too = _linked(contract.evm.deployedBytecode, libraries)
    return ContractBuild(
        path=path,
        name=name,
        abi=contract.abi or [],
        creation="0x" + creation,
        runtime="0x" + runtime,
        storage_layout=contract.storageLayout,
        methods=contract.evm.methodIdentifiers or {},
        missing_libraries=tuple(sorted(missing | missing_too)),
    )


def _linked(code: _Code, libraries: dict[str, str]) -> tuple[str, set[str]]:
    """The code with addresses in place of the placeholders, and the libraries that have none."""
    text = code.object
    missing = set()
    for path, names in code.linkReferences.items():
        for name, places in names.items():
            # Before 0.4.2x the name of the file could be part of the library's.
            address = libraries.get(name) or libraries.get(name.rpartition(":")[2])
            if address is None:
                missing.add(f"{path}:{name}" if path else name)
                continue
            for place in places:
                start, end = 2 * place["start"], 2 * (place["start"] + place["length"])
                text = text[:start] + address[2:].lower() + text[end:]
    return text, missing
