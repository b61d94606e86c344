"""Graphs for tests: made by hand, and random ones."""

from __future__ import annotations

from hypothesis import strategies as st

from solexp.dcr import Event, Graph, Marking, Relation, RelationType

NAMES = ("a", "b", "c", "d", "e")
GUARDS = ("paused", "!paused", "total >= goal", "balances[msg.sender] > 0")


def graph(
    relations: str, events: str = "a b c", *, once: str = "", marking: Marking | None = None
) -> Graph:
    """A graph in short: relations as ``a condition b; b exclude a``, everything included unless a marking says else."""
    ids = events.split()
    found = [words.split() for words in relations.split(";") if words.strip()]
    return Graph(
        contract="Made",
        events=tuple(Event(id=name, function=f"{name}()", once=name in once) for name in ids),
        relations=tuple(
            Relation(
                type=RelationType(kind),
                source=source,
                target=target,
                guard=" ".join(guard[1:]) or None,
            )
            for source, kind, target, *guard in found
        ),
        marking=marking or Marking(included=frozenset(ids)),
    )


@st.composite
def graphs(draw: st.DrawFn, *, guarded: bool = True, facts: bool = False) -> Graph:
    """Random graphs of up to five events, in any first marking; ``facts`` adds what does not change a run."""
    ids = NAMES[: draw(st.integers(1, len(NAMES)))]
    guard = st.none() | st.sampled_from(GUARDS) if guarded else st.none()
    relation = st.builds(
        Relation,
        type=st.sampled_from(RelationType),
        source=st.sampled_from(ids),
        target=st.sampled_from(ids),
        guard=guard,
        unsure=st.booleans() if facts else st.just(False),
        why=st.sampled_from([None, 'only <a> & "b" set it']) if facts else st.none(),
    )
    some = st.frozensets(st.sampled_from(ids))
    once = draw(some)
    events = [
        Event(id=name, function=f"{name}(uint256,address)", guard=draw(guard), once=name in once)
        for name in ids
    ]
    if facts:
        events[0] = Event(
            id=ids[0],
            function=draw(st.sampled_from(["", "f(uint8[2],(bool,string))"])),
            ownership=draw(st.booleans()),
            arguments=draw(st.sampled_from([(), (("1", 'a "b"'), ("2", "<c>"))])),
            sender=draw(st.sampled_from(["owner", "0x" + "5a" * 20])),
            value=draw(st.sampled_from([None, "1000000000000000000"])),
        )
    return Graph(
        contract="Made",
        events=tuple(events),
        relations=tuple(draw(st.lists(relation, max_size=12))),
        marking=Marking(draw(some), draw(some), draw(some)),
    )
