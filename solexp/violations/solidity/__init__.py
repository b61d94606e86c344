"""Guards of Solidity functions, and transactions that violate exactly those one chooses.

    contract = Contract(build, "CrewToken", sources)        # a build with ASTs: Compiler.compile(…, ast=True)
    for function in contract.functions():                   # tuple[FunctionGuards, …], public and state-changing
        for guard in function.guards:                       # Guard: number, kind, span, text, expected (revert data)
            answer = solve(contract, function.signature, {guard.number}, state)
        situation = contract.at(function.signature, state)          # the same, for many queries in one state
    fine = solve(contract, function.signature, set(), state)   # satisfies all guards

``state`` is a `State` (protocol: ``address``, ``block_number``, ``timestamp``, ``chain_id``, ``coinbase``, ``accounts``
and ``keys`` in play, ``read(slot)``, ``balance(account)``, ``has_code(account)``, ``immutable(name)``), such as a
`Snapshot`; `Contract.immutables` tells the immutables of a deployment. ``answer`` is an `Answer`: ``status`` (sat,
unsat, unknown, unsupported), ``solutions`` (`Solution`: ``sender``, ``value``, ``args``, ``input``, ``block_number``,
``timestamp``, ``exactness``, ``first``), ``reason``.
``guard.expected.matches(output)`` says whether revert data are those of the guard. `Contract.parts` are ways in which
guards fail or hold (``part`` of `Situation.solve`), `Contract.standing` is what guards ask of the state alone, and
`answers` what a state says to it. `probes` reads Solidity expressions
as a contract would, and evaluates them in a state.
"""

from solexp.violations.solidity.contract import Contract, Situation, solve
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.guards import Expected, FunctionGuards, Guard, Kind, Step
from solexp.violations.solidity.parts import Part
from solexp.violations.solidity.probes import Probe, Probed, probes
from solexp.violations.solidity.queries import Answer, Exactness, Settings, Solution, Status
from solexp.violations.solidity.standing import Answers, Standing, answers
from solexp.violations.solidity.state import Snapshot, State
from solexp.violations.solidity.terms import keeping

__all__ = [
    "Answer",
    "Answers",
    "Contract",
    "Exactness",
    "Expected",
    "FunctionGuards",
    "Guard",
    "Kind",
    "Part",
    "Probe",
    "Probed",
    "Settings",
    "Situation",
    "Snapshot",
    "Solution",
    "Standing",
    "State",
    "Status",
    "Step",
    "Unsupported",
    "answers",
    "keeping",
    "probes",
    "solve",
]
