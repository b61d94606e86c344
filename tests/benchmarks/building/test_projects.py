"""Projects as sources: every contract as one file that compiles to the same code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from solexp.benchmarks.building.flat import one_file
from solexp.benchmarks.building.projects import deployable, from_project, read_project
from solexp.cli import main
from solexp.core import CompilerSettings, DataError, UserError
from solexp.solidity.compiler import Compiler
from solexp.solidity.flattening import CannotFlatten

TOKEN = """// SPDX-License-Identifier: MIT
// Copyright of the library
pragma solidity ^0.8.20;

import "./Roles.sol";

error Poor(address who, uint256 lacks);

/// Something that can be held.
interface IToken {
    /// How much one holds.
    function held(address who) external view returns (uint256);
}

abstract contract Token is IToken, Roles {
    mapping(address who => uint256) internal _held;

    /// @inheritdoc IToken
    function held(address who) public view virtual returns (uint256) { return _held[who]; }

    function _give(address to, uint256 amount) internal {
        if (_held[msg.sender] < amount) revert Poor(msg.sender, amount - _held[msg.sender]);
        _held[msg.sender] -= amount;
        _held[to] += amount;
    }
}
"""
ROLES = """/* SPDX-License-Identifier: GPL-3.0 OR Apache-2.0 */
pragma solidity >=0.8.0;

contract Roles {
    struct Role { address holder; uint64 since; }
    Role internal role;
    modifier only() { require(msg.sender == role.holder, "only"); _; }
    constructor() { role = Role(msg.sender, uint64(block.timestamp)); }
}
"""
MATH = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

type Ratio is uint128;
using {times as *, value} for Ratio global;
uint256 constant SCALE = 1e6;
function times(Ratio a, Ratio b) pure returns (Ratio) {
    return Ratio.wrap(uint128(uint256(Ratio.unwrap(a)) * Ratio.unwrap(b) / SCALE));
}
function value(Ratio a) pure returns (uint256) { return Ratio.unwrap(a); }
function least(uint256 a, uint256 b) pure returns (uint256) { return a < b ? a : b; }
library Unused { function nothing() internal pure {} }
"""
OTHER = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

uint256 constant SCALE = 10;
function least(uint256 a, uint256 b) pure returns (uint256) { return a <= b ? a + SCALE : b; }
function least(uint256 a) pure returns (uint256 b) { assembly { b := add(a, SCALE) } }
interface IToken { struct Note { uint256 number; } function note() external returns (Note memory); }
library Sums { function plus(uint256 a, uint256 b) internal pure returns (uint256) { return a + b; } }
"""
SHOP = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Token, IToken as Held, Roles} from "@lib/Token.sol";
import "@lib/math/Math.sol" as M;
import {least} from "./inner/Other.sol";
import * as Others from "./inner/Other.sol";

/// A shop. It is said that import "x.sol"; is no directive here.
contract Shop is Token {
    using Others.Sums for uint256;
    M.Ratio public rate = M.Ratio.wrap(uint128(M.SCALE));
    Roles.Role[] internal past;
    Others.IToken.Note internal last;

    /// @inheritdoc Held
    function held(address who) public view override returns (uint256) { return super.held(who).plus(1); }

    function buy(Others.IToken other, address to, uint256 amount) external only returns (uint256) {
        Others.IToken.Note memory found = other.note();
        last = found;
        past.push(role);
        rate = rate * rate;
        _give(to, M.least(amount, least(found.number, least(rate.value()))));
        return Held(address(this)).held(to);
    }
}

contract Stand is Shop { }
"""


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler(max_workers=1) as running:
        yield running


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


FOUNDRY = {
    "foundry.toml": '[profile.default]\nsolc = "0.8.26"\noptimizer = true\noptimizer_runs = 77\n',
    "remappings.txt": "@lib/=lib/thing/src/\n",
    "lib/thing/src/Token.sol": TOKEN,
    "lib/thing/src/Roles.sol": ROLES,
    "lib/thing/src/math/Math.sol": MATH,
    "src/Shop.sol": SHOP,
    "src/inner/Other.sol": OTHER,
    "test/Shop.t.sol": 'import "../src/Shop.sol";\ncontract ShopTest is Shop {}\n',
    "script/Deploy.s.sol": "contract Deploy {}\n",
}
HARDHAT = {
    "hardhat.config.ts": """import "@nomicfoundation/hardhat-toolbox";
// solidity: "0.4.11"
export default { solidity: { version: "0.8.26", settings: { optimizer: { enabled: true, runs: 77 } } } };
""",
    "node_modules/@lib/Token.sol": TOKEN,
    "node_modules/@lib/Roles.sol": ROLES,
    "node_modules/@lib/math/Math.sol": MATH,
    "contracts/Shop.sol": SHOP,
    "contracts/inner/Other.sol": OTHER,
    "test/Shop.sol": "contract Test {}\n",
}


@pytest.mark.parametrize(("files", "folder"), [(FOUNDRY, "src"), (HARDHAT, "contracts")])
def test_a_contract_of_many_files_becomes_one_file_of_the_same_code(
    files: dict[str, str], folder: str, tmp_path: Path, compiler: Compiler
) -> None:
    place = write(tmp_path, files)
    # Whether the code is the same is seen to where the file is made: nothing comes of it else.
    sources, unfit = from_project(place, compiler)
    assert unfit == []
    (source,) = sources
    assert (source.id, source.contract) == (f"{folder}/Shop:Stand", "Stand")
    assert (source.optimizer, source.runs) == (True, 77)
    text = source.text
    assert text.startswith("// SPDX-License-Identifier: ")
    assert text.count("SPDX-License-Identifier") == 1
    assert "(GPL-3.0 OR Apache-2.0) AND MIT" in text.splitlines()[0]
    assert text.count("pragma solidity") == 3
    assert "// Copyright of the library" in text
    assert "Unused" not in text
    assert "\nimport " not in text
    for name in ("interface IToken ", "interface IToken_2 ", "SCALE_2", "least_2("):
        assert name in text
    assert "@inheritdoc IToken\n" in text
    assert "using Sums for uint256" in text


def test_a_project_builds_rows(tmp_path: Path) -> None:
    alone = {"src/Shop.sol": SHOP.partition("contract Stand")[0]}
    place = write(tmp_path / "shop", FOUNDRY | alone)
    words = [
        "data",
        "build",
        "solidity_eval",
        "--from",
        str(place),
        "--out",
        str(tmp_path / "rows"),
    ]
    assert main([*words, "compilers=>=0.8.20 <=0.8.26", "min_lines=1"]) == 0
    card = json.loads((tmp_path / "rows" / "card.json").read_text())
    assert card["rows"]["full.parquet"] == 1
    assert card["licences"] == {"(GPL-3.0 OR Apache-2.0) AND MIT": 1}


def test_what_cannot_be_one_file_is_left_out_with_the_reason(
    tmp_path: Path, compiler: Compiler
) -> None:
    files = {
        "foundry.toml": '[profile.default]\nsolc = "0.8.26"\n',
        "src/Lost.sol": 'pragma solidity ^0.8.0;\nimport "gone/Gone.sol";\ncontract Lost {}\n',
        "src/Coder.sol": 'pragma abicoder v1;\nimport "./Base.sol";\ncontract Coder is Base {}\n',
        "src/Base.sol": "pragma abicoder v2;\nabstract contract Base {}\n",
        "src/Old.sol": 'pragma solidity ^0.7.0;\nimport "./Base.sol";\ncontract Old is Base {}\n',
        "src/Name.sol": (
            'import "./Other.sol" as O;\ncontract A {}\n'
            "contract Name { string public named = string.concat(type(O.A).name, type(A).name); }\n"
        ),
        "src/Other.sol": "contract A { }\n",
    }
    sources, unfit = from_project(write(tmp_path, files), compiler)
    assert [source.id for source in sources] == ["src/Name:A", "src/Other:A"]
    why = dict(unfit)
    assert set(why) == {"src/Lost:Lost", "src/Coder:Coder", "src/Old:Old", "src/Name:Name"}
    assert "gone/Gone.sol" in why["src/Lost:Lost"]
    assert "to other code" in why["src/Name:Name"]  # it asks for a name that had to change
    assert "code arguments in two ways" in why["src/Coder:Coder"]


def test_a_hardhat_configuration_is_read_without_running_it(tmp_path: Path) -> None:
    config = """
    const { vars } = require("hardhat/config"); // "https://x.y/"
    module.exports = {
      paths: { sources: "./code" },
      solidity: { compilers: [{ version: "0.8.20" }, { version: "0.7.6" }],
        settings: { evmVersion: "paris", viaIR: true, optimizer: { runs: 1_000, enabled: true } } },
      networks: { main: { url: process.env.URL } },
    };"""
    profile = read_project(write(tmp_path, {"hardhat.config.js": config})).profile
    assert profile.source_folder == "code"
    assert profile.solc is None
    assert (profile.optimizer, profile.runs, profile.evm_version) == (True, 1000, "paris")
    assert profile.via_ir


def test_bases_of_others_interfaces_and_libraries_are_not_deployed() -> None:
    text = "interface I {} library L {} abstract contract A {} contract B is A {} contract C is B, I {} contract D {}"
    assert deployable(text) == ["C", "D"]


def test_names_that_files_share_are_told_apart_by_old_compilers_too(compiler: Compiler) -> None:
    files = {
        "Main.sol": b"""pragma solidity ^0.6.0;
import { Box as Crate, Thing } from "./Box.sol";
import "./Other.sol" as Other;
contract Main is Crate {
    Other.Box.Kind public kind;
    Other.Box[] boxes;
    function make(uint number) public returns (Other.Box) {
        Thing.Note memory note = Thing.Note(number);
        kind = Other.Box.Kind.Second;
        boxes.push(new Other.Box(note.number));
        return Other.Box(address(boxes[0]));
    }
}
""",
        "Box.sol": b"""pragma solidity >=0.5.0;
contract Box { function a() public pure returns (uint) { return 1; } }
contract Thing { struct Note { uint number; } }
""",
        "Other.sol": b"""pragma solidity ^0.6.0;
contract Box { enum Kind { First, Second } uint public number; constructor(uint n) public { number = n; } }
""",
    }
    settings = CompilerSettings(version="0.6.12", optimizer=True)
    flat = one_file(files, "Main.sol", "Main", settings, compiler)
    assert "contract Main is Box {" in flat
    assert "Box_2.Kind public kind" in flat
    assert "new Box_2(note.number)" in flat
    # A way of coding that one file asks for would hold for all of them.
    files["Main.sol"] = b"pragma experimental ABIEncoderV2;\n" + files["Main.sol"]
    with pytest.raises(CannotFlatten, match="code arguments in two ways"):
        one_file(files, "Main.sol", "Main", settings, compiler)


def test_packages_that_are_links_within_the_project_are_found(
    tmp_path: Path, compiler: Compiler
) -> None:
    place = write(tmp_path / "shop", HARDHAT)
    (place / "node_modules" / ".store").mkdir()
    (place / "node_modules" / "@lib").rename(place / "node_modules" / ".store" / "lib")
    (place / "node_modules" / "@lib").symlink_to(Path(".store", "lib"))
    (place / "node_modules" / ".store" / "lib" / "again").symlink_to(place / "node_modules")
    (place / "contracts" / "out").symlink_to(tmp_path)
    write(tmp_path, {"Outside.sol": "contract Outside {}"})
    sources, unfit = from_project(place, compiler)
    assert ([source.id for source in sources], unfit) == (["contracts/Shop:Stand"], [])


def test_what_is_no_project_with_sources_ends_in_one_line(
    tmp_path: Path, compiler: Compiler
) -> None:
    place = write(tmp_path, {"foundry.toml": "", "contracts/A.sol": "contract A {}"})
    with pytest.raises(UserError, match=r"has no \.sol file in src/"):
        from_project(place, compiler)
    write(tmp_path, {"foundry.toml": "["})
    with pytest.raises(DataError, match=r"foundry\.toml"):
        from_project(place, compiler)
