"""What else is tried with the checks of notebook 18."""

from course.chapters.ch18_since_2017 import assignment_8_checks as parts
from course.chapters.ch18_since_2017 import checks as check
from tests.course.checks.attempts import Attempts

UNTRIED = {"It returns nothing": [lambda *given: None], "not tried yet": [lambda *given: ...]}
ATTEMPTS = {
    check.my_rms_norm: Attempts(mistakes=UNTRIED | {"The shape is (2, 3)": [lambda x, s, e: x[0]]}),
    check.my_block: Attempts(
        mistakes=UNTRIED
        | {
            "Return three things": [lambda *given: check.step(*given)[:2]],
            "largest should be a tensor": [lambda *given: (1.0, *check.step(*given)[1:])],
            "The shape of largest is (3,)": [lambda *given: [x[:, 0] for x in check.step(*given)]],
            "the numbers aren't": [lambda *given: [x + 1 for x in check.step(*given)]],
        }
    ),
    parts.scores_by_hand: Attempts(
        right=[[7.0, 1, 1, -1, -7]],
        mistakes={
            "Number 5 of the list": [[7, 1, 1, -1, 7]],
            "list of five whole": [[7, 1, 1, -1], [7, 1, 1, -1, -7.5], "seven"],
        },
    ),
    parts.my_turn: Attempts(
        mistakes={
            "should be (2, 4, 4, 6)": [lambda x, places, base: x.unflatten(-1, (-1, 2))],
            "It should return a tensor": [lambda x, places, base: [1, 2]],
            "the numbers aren't": [lambda x, places, base: 2 * x],
        }
    ),
    parts.my_rotary_attention: Attempts(mistakes={"it stops": [lambda q, k, v, turn: turn(q, 3)]}),
    parts.my_cache_bytes: Attempts(
        mistakes={"Not 12345": [lambda *sizes: 12345], "one number": [lambda *sizes: "much"]}
    ),
    parts.which_are_rotary: Attempts(
        right=[parts.PLANTED],
        slips={
            "A isn't sound. Take one q": [parts.PLANTED | {"A": "sound"}],
            "It need not turn the same pairs": [parts.PLANTED | {"B": "not relative"}],
            "C has another fault, or none. Is the length": [parts.PLANTED | {"C": "not relative"}],
            "D isn't sound. Hand over": [parts.PLANTED | {"D": "sound"}],
        },
        mistakes={
            "It need not turn": [parts.PLANTED | {"B": "not relative", "D": "sound"}],
            "A isn't sound": [dict.fromkeys("ABCD", "sound")],
            "D: still to be measured": [{**parts.PLANTED, "D": ...}],
            "A: choose one of": [parts.PLANTED | {"A": "broken"}],
            "Give a kind for each": [{"A": "sound"}],
        },
    ),
}
