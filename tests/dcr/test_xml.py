"""Graphs as XML: what is written is read back, and what others write is read or refused."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from solexp.core.errors import DataError
from solexp.dcr import Graph, Marking, enabled
from solexp.dcr.graph import RelationType
from solexp.dcr.xml import from_xml, to_xml
from tests.dcr.made_graphs import graph, graphs

# As an editor for DCR graphs writes it, cut down.
PORTAL = """<?xml version="1.0" encoding="utf-8"?>
<dcrgraph title="Expenses" filterLevel="-1">
  <specification>
    <resources>
      <events>
        <event id="Apply" scope="private"><custom><roles><role>Staff</role></roles></custom></event>
        <event id="Approve"><custom><roles><role>Boss</role></roles></custom></event>
      </events>
      <subProcesses />
      <labels><label id="File expenses" /><label id="Approve" /></labels>
      <labelMappings>
        <labelMapping eventId="Apply" labelId="File expenses" />
        <labelMapping eventId="Approve" labelId="Approve" />
      </labelMappings>
      <expressions><expression id="Large" value="amount &gt; 1000" /></expressions>
      <variables /><variableAccesses><writeAccesses /></variableAccesses>
    </resources>
    <constraints>
      <conditions>
        <condition sourceId="Apply" targetId="Approve" filterLevel="1" description="" time="" groups="" />
      </conditions>
      <responses>
        <response sourceId="Apply" targetId="Approve" expressionId="Large" time="" />
      </responses>
      <coresponses /><excludes /><includes /><milestones /><updates /><spawns />
    </constraints>
  </specification>
  <runtime>
    <marking>
      <globalStore /><executed />
      <included><event id="Apply" /><event id="Approve" /></included>
      <pendingResponses><event id="Apply" /></pendingResponses>
    </marking>
  </runtime>
</dcrgraph>
"""


@settings(max_examples=50)
@given(graphs(facts=True))
def test_what_is_written_is_read_as_the_same_graph(made: Graph) -> None:
    read = from_xml(to_xml(made), "graph.xml")
    assert (read.events, read.marking) == (made.events, made.marking)
    # Relations come by type, and in order within each.
    assert all(read.of_type(kind) == made.of_type(kind) for kind in RelationType)


def test_what_an_editor_writes_is_read() -> None:
    made = from_xml(PORTAL, "graph.xml")
    assert made.contract == "Expenses"
    assert [str(each) for each in made.relations] == [
        "Apply condition Approve",
        "Apply response Approve when amount > 1000",
    ]
    assert made.marking == Marking(pending=frozenset({"Apply"}), included=frozenset(made.by_id))
    assert [event.id for event in enabled(made, made.marking)] == ["Apply"]


def test_an_event_that_happens_once_excludes_itself_for_others() -> None:
    root = ElementTree.fromstring(to_xml(graph("", once="b")))
    found = [node.attrib for node in root.iter("exclude")]
    assert [(node["sourceId"], node["targetId"]) for node in found] == [("b", "b")]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("</dcrgraph>", "", "not XML"),
        ("dcrgraph", "graph", "<graph> where <dcrgraph> is wanted"),
        ('?>\n', '?>\n<!DOCTYPE dcrgraph [<!ENTITY a "b">]>\n', "document types are not read"),
        ("<milestones />", '<milestones><milestone sourceId="Apply" targetId="Approve" /></milestones>',
         "milestones/milestone Apply → Approve: milestones have no counterpart; remove it"),
        ('time="" groups=""', 'time="P2D"', "conditions/condition Apply → Approve: times are not read"),
        ('sourceId="Apply" ', "", "conditions/condition Approve: a relation needs a sourceId"),
        ('="Large" time', '="Big" time', "no expression 'Big'; choose from: Large"),
        ('targetId="Approve"', 'targetId="Aprove"', "relations[0].target: no event 'Aprove'; did you"),
        ('<event id="Approve"><custom>', '<event id="Approve" type="nesting"><custom>', "nested events"),
        ('<event id="Approve"><custom>', "<event><custom>", "events/event: an event needs an id"),
        ("<custom><roles><role>Boss", '<custom><solidity arguments="7"/><roles><role>Boss', "arguments must"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_or_would_run_differently_is_refused(
    old: str, new: str, told: str
) -> None:
    with pytest.raises(DataError) as error:
        from_xml(PORTAL.replace(old, new), "graph.xml")
    assert str(error.value).startswith("graph.xml: ")
    assert told in str(error.value)
