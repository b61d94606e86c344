"""Libraries at the places that code is linked to."""

from __future__ import annotations

from solexp.core import Build, CompilerSettings


def libraries_at(build: Build, settings: CompilerSettings) -> dict[str, str]:
    """Runtime code by address of the libraries that the build itself holds, where the settings link to them."""
    found = {}
    for name, address in settings.libraries.items():
        library = build.contract(name.rpartition(":")[2])
        if library is not None and library.runtime != "0x":
            # A library's code starts by pushing its own address, which only its deployment fills in.
            code = library.runtime
            if code.startswith("0x73" + "0" * 40):
                code = "0x73" + address[2:].lower() + code[44:]
            found[address.lower()] = code
    return found
