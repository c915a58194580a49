"""Whatever a link holds: a state that the page can show, and its own link leads to the same one."""

from hypothesis import given
from hypothesis import strategies as st

from course.lab.pages import HERE

LAYERS = [
    f"{side}.layers.{number}.{kind}"
    for side, kinds in (("encoder", ["self_attn"]), ("decoder", ["self_attn", "cross_attn"]))
    for number in (0, 1)
    for kind in kinds
]
HEADS, LONGEST = 4, 64
# The section of lab.js about links, which needs nothing of the page.
SCRIPT = (HERE / "lab.js").read_text(encoding="utf-8")
SECTION = SCRIPT[
    SCRIPT.index("// How numbers are written in a link.") : SCRIPT.index("// --- what is computed")
]
assert "function to_hash" in SECTION and "function from_hash" in SECTION
PROGRAM = (
    SECTION.replace("let state;", "")
    + """
    const layer_names = translator.model.attention_layers().map((layer) => layer.name);
    const START = { text: "I like trees", layer: layer_names[1], head: 2, query: null,
      form: "lines", changes: [], choose: "greedy", beam: 4, temperature: 1, seed: 1, place: null };
    let state;
    return given.map((one) => {
      state = typeof one === "string" ? from_hash(one) : { ...START, ...one };
      const link = to_hash();
      return [state, link, from_hash(link), refused_of(typeof one === "string" ? one : link)];
    });
    """
)
HEAD, PLACE = st.integers(0, HEADS - 1), st.integers(0, LONGEST)
LAYER = st.sampled_from(LAYERS)
KINDS = {
    "swap": {"head": HEAD, "query": PLACE, "from": PLACE, "to": PLACE},
    "set": {"head": HEAD, "query": PLACE, "key": PLACE, "weight": st.integers(0, 100)},
    "off": {"head": HEAD},
    "bar": {"query": PLACE, "key": PLACE},
}


def change(kind):
    fields = {"kind": st.just(kind), "layer": LAYER} | KINDS[kind]
    return st.fixed_dictionaries(fields).map(
        lambda one: one | ({"weight": one["weight"] / 100} if "weight" in one else {})
    )


STATES = st.fixed_dictionaries(
    {
        "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
        "layer": LAYER,
        "head": HEAD,
        "query": st.none() | PLACE,
        "form": st.sampled_from(["lines", "map"]),
        "choose": st.sampled_from(["greedy", "beam", "draw"]),
        "beam": st.integers(1, 8),
        "temperature": st.integers(1, 30).map(lambda n: n / 10),
        "seed": st.integers(1, 2**31),
        "changes": st.lists(st.sampled_from(list(KINDS)).flatmap(change), max_size=5),
    }
)
NAMES = st.sampled_from("text layer head query form choose beam temperature seed change".split())
VALUES = (
    st.text(max_size=8)
    | st.sampled_from([*LAYERS, "-1", "0", "4", "65", "2.5", "0x1", "1e9", "%", "%ff", "__proto__"])
    | st.builds(
        "{},{},{}".format, st.sampled_from(list(KINDS)), LAYER, st.text(",0123.9", max_size=9)
    )
)
LINKS = st.builds(
    lambda pairs: "#" + "&".join(f"{name}={value}" for name, value in pairs),
    st.lists(st.tuples(NAMES, VALUES), max_size=6),
) | st.text(max_size=30)


@given(state=STATES)
def test_a_link_leads_to_the_state_that_it_was_made_of(node, state):
    ((before, link, after, refused),) = node(PROGRAM, [state])
    assert after == before and before.items() >= state.items()
    assert refused == "" and link.startswith("#text=") and link.isascii() and " " not in link


@given(link=LINKS)
def test_whatever_a_link_says_the_state_makes_sense(node, link):
    ((state, again, after, _),) = node(PROGRAM, [link])
    assert after == state and again.startswith("#text=")
    assert state["layer"] in LAYERS and state["head"] in range(HEADS)
    assert state["query"] is None or state["query"] in range(LONGEST + 1)
    assert state["form"] in ("lines", "map") and state["choose"] in ("greedy", "beam", "draw")
    assert state["beam"] in range(1, 9) and 0.1 <= state["temperature"] <= 3
    assert 1 <= state["seed"] <= 2**31 and state["seed"] == int(state["seed"])
    for one in state["changes"]:
        assert one.keys() == {"kind", "layer", *KINDS[one["kind"]]} and one["layer"] in LAYERS
        assert one.get("head", 0) in range(HEADS) and 0 <= one.get("weight", 0) <= 1
        places = (one.get(name, 0) for name in ("query", "key", "from", "to"))
        assert all(place in range(LONGEST + 1) for place in places)
