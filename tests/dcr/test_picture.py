"""Pictures: they hold every event and relation, and boxes do not cover each other."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import combinations
from xml.etree import ElementTree

import pytest

from solexp.dcr import Event, Graph, Marking
from solexp.dcr.picture import to_dot, to_svg
from tests.dcr.made_graphs import graph

SALE = graph(
    "open condition buy; pause exclude buy; unpause include buy; buy response claim if total >= goal;"
    "pause exclude pause; buy response buy",
    "open buy pause unpause claim",
    once="open",
    marking=Marking(frozenset({"open"}), frozenset({"claim"}), frozenset({"open", "buy", "pause"})),
)
SVG = "{http://www.w3.org/2000/svg}"


def test_a_picture_has_every_event_and_every_relation_with_all_that_is_known_of_it() -> None:
    root = ElementTree.fromstring(to_svg(SALE))
    titles = [node.text or "" for node in root.iter(f"{SVG}title")]
    assert {str(relation) for relation in SALE.relations} <= set(titles)
    texts = [node.text for node in root.iter(f"{SVG}text")]
    assert [text for text in texts if text in ("✓ open", "buy", "pause", "unpause", "! claim")]
    assert "total >= goal" in texts
    dashed = [node for node in root.iter(f"{SVG}rect") if node.get("stroke-dasharray")]
    assert len(dashed) == 2


@pytest.mark.parametrize("count", [0, 1, 2, 5, 30])
def test_boxes_never_cover_each_other(count: int) -> None:
    made = Graph(
        contract="Made",
        events=tuple(Event(id=f"event{'n' * (7 * n % 11)}{n}", function="") for n in range(count)),
        relations=(),
        marking=Marking(),
    )
    rects = list(ElementTree.fromstring(to_svg(made)).iter(f"{SVG}rect"))[1:]
    boxes = [[float(node.attrib[key]) for key in ("x", "y", "width", "height")] for node in rects]
    assert len(boxes) == count
    for (ax, ay, aw, ah), (bx, by, bw, bh) in combinations(boxes, 2):
        assert ax + aw < bx or bx + bw < ax or ay + ah < by or by + bh < ay


def test_names_and_guards_cannot_break_a_picture() -> None:
    made = graph('a"<b condition a"<b if x == "\\"" && y < 1', 'a"<b')
    ElementTree.fromstring(to_svg(made))
    assert r'"a\"<b" -> "a\"<b"' in to_dot(made)


def test_dot_names_every_event_and_relation() -> None:
    text = to_dot(SALE)
    assert re.findall(r'"(\w+)" -> "(\w+)"', text) == [
        (relation.source, relation.target) for relation in SALE.relations
    ]
    assert '"unpause" [label="unpause", style="rounded,dashed"' in text
    if dot := shutil.which("dot"):
        subprocess.run([dot, "-Tsvg"], input=text, text=True, check=True, capture_output=True)
