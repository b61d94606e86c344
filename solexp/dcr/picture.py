"""Pictures of DCR graphs: Graphviz DOT, and an SVG that needs no program.

The signs are those of the literature: a condition ends in a dot, a response begins with one, ``+`` includes and ``%``
excludes. What is excluded at first is dashed, what is owed has ``!``, what has happened ``✓``.
"""

from __future__ import annotations

import html
import math
from collections import defaultdict
from itertools import combinations

from solexp.dcr.graph import Event, Graph, Relation, RelationType

_COLOURS = {
    RelationType.CONDITION: "#b45309",
    RelationType.RESPONSE: "#1d4ed8",
    RelationType.INCLUDE: "#15803d",
    RelationType.EXCLUDE: "#b91c1c",
}
_DOT_ENDS = {
    RelationType.CONDITION: "arrowhead=dotnormal",
    RelationType.RESPONSE: "dir=both, arrowtail=dot",
    RelationType.INCLUDE: 'headlabel="+"',
    RelationType.EXCLUDE: 'headlabel="%"',
}
_HEIGHT = 46.0
_LETTER = 7.2
_LONGEST = 34
_MARGIN = 64.0
_LEGEND = 40.0


def to_dot(graph: Graph) -> str:
    """The graph in Graphviz's language, for ``dot -Tsvg`` and the like."""
    lines = [
        f"digraph {_quoted(graph.contract)} {{",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
        '  edge [fontname="sans-serif", fontsize=10];',
    ]
    for event in graph.events:
        style = "rounded" if event.id in graph.marking.included else "rounded,dashed"
        label = "\n".join(part for part in _lines(graph, event) if part)
        lines.append(
            f"  {_quoted(event.id)} [label={_quoted(label)}, style={_quoted(style)}, "
            f"tooltip={_quoted(_told(event))}];"
        )
    for relation in graph.relations:
        label = f", label={_quoted(relation.guard)}" if relation.guard else ""
        lines.append(
            f"  {_quoted(relation.source)} -> {_quoted(relation.target)} "
            f'[color="{_COLOURS[relation.type]}", {_DOT_ENDS[relation.type]}{label}, '
            f"tooltip={_quoted(str(relation))}];"
        )
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _lines(graph: Graph, event: Event) -> tuple[str, str]:
    """What a box says: the event with its marks, and below it what limits it."""
    marks = "! " if event.id in graph.marking.pending else ""
    marks += "✓ " if event.id in graph.marking.executed else ""
    below = " · ".join(
        part
        for part in ("once" if event.once else "", f"[{event.guard}]" if event.guard else "")
        if part
    )
    return marks + event.id, _cut(below)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _told(event: Event) -> str:
    """All of an event, for whoever points at it."""
    parts = [event.function or event.id]
    if event.guard:
        parts.append(f"guard: {event.guard}")
    if event.once:
        parts.append("happens once")
    if event.sender:
        parts.append(f"sender: {event.sender}")
    if event.ownership:
        parts.append("hands ownership over")
    return "\n".join(parts)


def to_svg(graph: Graph) -> str:
    """The graph as a picture: its events on an ellipse, clockwise from the top in the graph's order."""
    boxes = _boxes(graph)
    span_x = max((box.x + box.width / 2 for box in boxes.values()), default=200.0) + _MARGIN
    span_y = max((abs(box.y) for box in boxes.values()), default=50.0) + _MARGIN
    drawn = [_edge(edge, boxes) for edge in _edges(graph)]
    # Labels lie on all lines.
    parts = [edge for edge, _ in drawn] + [label for _, label in drawn if label]
    parts += [_box(graph, event, boxes[event.id]) for event in graph.events]
    size = f"{-span_x:.0f} {-span_y:.0f} {2 * span_x:.0f} {2 * span_y + _LEGEND:.0f}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" width="{2 * span_x:.0f}" '
            f'height="{2 * span_y + _LEGEND:.0f}" font-family="sans-serif" font-size="13">',
            f"<title>{html.escape(graph.contract)}</title>",
            f'<rect x="{-span_x:.0f}" y="{-span_y:.0f}" width="100%" height="100%" fill="white"/>',
            *parts,
            _legend(span_x, span_y),
            "</svg>",
        ]
    )


class _Place:
    """A box: its middle and its width, in pixels."""

    def __init__(self, x: float, y: float, width: float) -> None:
        self.x, self.y, self.width = x, y, width

    def touches(self, other: _Place, gap: float) -> bool:
        """Whether two boxes are nearer than a gap."""
        return (
            abs(self.x - other.x) < (self.width + other.width) / 2 + gap
            and abs(self.y - other.y) < _HEIGHT + gap
        )

    def edge_towards(self, x: float, y: float) -> tuple[float, float]:
        """Where a line from the middle to a point leaves the box."""
        across, down = x - self.x, y - self.y
        if not across and not down:
            return self.x, self.y
        scale = min(
            self.width / 2 / abs(across) if across else math.inf,
            _HEIGHT / 2 / abs(down) if down else math.inf,
        )
        return self.x + across * scale, self.y + down * scale


def _boxes(graph: Graph) -> dict[str, _Place]:
    widths = {
        event.id: max(len(line) for line in _lines(graph, event)) * _LETTER + 28
        for event in graph.events
    }
    count = len(widths)
    if count == 1:
        return {name: _Place(0, 0, width) for name, width in widths.items()}
    high = 60.0
    while True:
        angles = [2 * math.pi * place / count - math.pi / 2 for place in range(count)]
        boxes = {
            name: _Place(1.6 * high * math.cos(angle), high * math.sin(angle), width)
            for (name, width), angle in zip(widths.items(), angles, strict=True)
        }
        # With room for the arrows between neighbours.
        if not any(a.touches(b, 42) for a, b in combinations(boxes.values(), 2)):
            return boxes
        high *= 1.1


class _Edge:
    """A relation, and its place among those between the same two events."""

    def __init__(self, relation: Relation, place: int, among: int) -> None:
        self.relation, self.place, self.among = relation, place, among


def _edges(graph: Graph) -> list[_Edge]:
    between: dict[frozenset[str], list[Relation]] = defaultdict(list)
    for relation in graph.relations:
        between[frozenset({relation.source, relation.target})].append(relation)
    return [
        _Edge(relation, place, len(relations))
        for relations in between.values()
        for place, relation in enumerate(relations)
    ]


def _edge(edge: _Edge, boxes: dict[str, _Place]) -> tuple[str, str]:
    """The line of a relation, and its guard beside it or nothing."""
    relation = edge.relation
    source, target = boxes[relation.source], boxes[relation.target]
    if source is target:
        # Outside the ellipse, each further loop a little wider.
        out = 1 if source.y > 0 else -1
        reach, side = 34 + 16 * edge.place, source.width / 4
        start = (source.x - side, source.y + out * _HEIGHT / 2)
        end = (source.x + side, source.y + out * _HEIGHT / 2)
        first = (start[0], start[1] + out * reach)
        second = (end[0], end[1] + out * reach)
        path = f"M{_xy(start)} C{_xy(first)} {_xy(second)} {_xy(end)}"
        middle, last = (source.x, start[1] + out * reach * 0.75), second
    else:
        # The bow is measured in one direction for both ways between two events.
        away = 1 if relation.source < relation.target else -1
        bow = (edge.place - (edge.among - 1) / 2) * 44 * away
        across, down = target.x - source.x, target.y - source.y
        long = math.hypot(across, down) or 1.0
        control = (
            (source.x + target.x) / 2 - down / long * bow,
            (source.y + target.y) / 2 + across / long * bow,
        )
        start, end = source.edge_towards(*control), target.edge_towards(*control)
        path = f"M{_xy(start)} Q{_xy(control)} {_xy(end)}"
        middle = (
            (start[0] + 2 * control[0] + end[0]) / 4,
            (start[1] + 2 * control[1] + end[1]) / 4,
        )
        first = last = control
    line = "\n".join(
        [
            f'<g stroke="{_COLOURS[relation.type]}" fill="none" stroke-width="1.4">',
            f"<title>{html.escape(_why(relation))}</title>",
            f'<path d="{path}"/>',
            *_ends(relation.type, start, first, end, last),
            "</g>",
        ]
    )
    return line, _label(relation.guard, middle) if relation.guard else ""


def _why(relation: Relation) -> str:
    return f"{relation}\n{relation.why}" if relation.why else str(relation)


def _ends(
    kind: RelationType,
    start: tuple[float, float],
    after_start: tuple[float, float],
    end: tuple[float, float],
    before_end: tuple[float, float],
) -> list[str]:
    """The arrowhead and the sign of a type; its colour is the group's."""
    colour = _COLOURS[kind]
    angle = math.atan2(end[1] - before_end[1], end[0] - before_end[0])

    def behind(distance: float, turn: float = 0.0) -> tuple[float, float]:
        return (
            end[0] - distance * math.cos(angle + turn),
            end[1] - distance * math.sin(angle + turn),
        )

    tip = f"M{_xy(behind(10, 0.42))} L{_xy(end)} L{_xy(behind(10, -0.42))} Z"
    found = [f'<path d="{tip}" fill="{colour}"/>']
    sign = {RelationType.INCLUDE: "+", RelationType.EXCLUDE: "%"}.get(kind)
    if sign is not None:
        x, y = behind(20, 0.5)
        found.append(
            f'<text x="{x:.1f}" y="{y + 5:.1f}" text-anchor="middle" stroke="none" '
            f'fill="{colour}">{sign}</text>'
        )
    else:
        place = behind(14)
        if kind == RelationType.RESPONSE:
            back = math.atan2(start[1] - after_start[1], start[0] - after_start[0])
            place = start[0] - 5 * math.cos(back), start[1] - 5 * math.sin(back)
        found.append(f'<circle cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="4" fill="{colour}"/>')
    return found


def _label(guard: str, at: tuple[float, float]) -> str:
    return (
        f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="middle" fill="#374151" '
        f'stroke="white" stroke-width="3" paint-order="stroke" font-size="11">'
        f"{html.escape(_cut(guard))}</text>"
    )


def _box(graph: Graph, event: Event, box: _Place) -> str:
    head, below = _lines(graph, event)
    dashed = "" if event.id in graph.marking.included else ' stroke-dasharray="5 4"'
    owed = event.id in graph.marking.pending
    texts = [
        f'<text x="{box.x:.1f}" y="{box.y + (-3 if below else 5):.1f}" text-anchor="middle" '
        f'font-weight="bold">{html.escape(head)}</text>'
    ]
    if below:
        texts.append(
            f'<text x="{box.x:.1f}" y="{box.y + 14:.1f}" text-anchor="middle" font-size="11" '
            f'fill="#374151">{html.escape(below)}</text>'
        )
    return "\n".join(
        [
            "<g>",
            f"<title>{html.escape(_told(event))}</title>",
            f'<rect x="{box.x - box.width / 2:.1f}" y="{box.y - _HEIGHT / 2:.1f}" '
            f'width="{box.width:.1f}" height="{_HEIGHT:.0f}" rx="7" fill="#f8fafc" '
            f'stroke="{"#1d4ed8" if owed else "#111827"}" stroke-width="1.4"{dashed}/>',
            *texts,
            "</g>",
        ]
    )


def _legend(span_x: float, span_y: float) -> str:
    words = {
        RelationType.CONDITION: "→● condition",
        RelationType.RESPONSE: "●→ response",
        RelationType.INCLUDE: "→+ include",
        RelationType.EXCLUDE: "→% exclude",
    }
    spans = "".join(
        f'<tspan fill="{_COLOURS[kind]}" dx="{12 if place else 0}">{text}</tspan>'
        for place, (kind, text) in enumerate(words.items())
    )
    return f'<text x="{-span_x + 16:.0f}" y="{span_y + _LEGEND - 14:.0f}" font-size="12">{spans}</text>'


def _xy(point: tuple[float, float]) -> str:
    return f"{point[0]:.1f},{point[1]:.1f}"
