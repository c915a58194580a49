"""What is tried with the check of notebook 00, asked of the shipped translator."""

from course.chapters.ch00_start_here import checks as check
from tests.course.checks.attempts import Attempts

DOG = "The dog didn't enter the house because it was too "
SUITCASE = "The dog couldn't carry the suitcase because it was too "


def riddle(adjective: str, noun: str = "cow", other: str = "river") -> str:
    return f"The {noun} didn't cross the {other} because it was too {adjective}"


TIRED, WIDE = riddle("tired"), riddle("wide")
ATTEMPTS = {
    check.one_word_changes_the_gender: Attempts(
        right=[(TIRED, WIDE), (f"{WIDE}.", f"{TIRED}!"), (f"{DOG}tired", f"{DOG}dark")],
        mistakes={
            "the riddle above": [
                (riddle("tired", "animal", "street"), riddle("wide", "animal", "street")),
                (riddle("tired", "cow", "street"), riddle("wide", "cow", "street")),
            ],
            "exactly one word": [(TIRED, TIRED), (TIRED, "The cow slept")],
            "cow to horse": [(TIRED, riddle("tired", "horse"))],
            "river to avenue": [(WIDE, riddle("wide", "cow", "avenue"))],
            "no *it* or *they*": [("The cow was tired", "The cow was white")],
            "the same gender, cansado and ancho": [
                (riddle("tired", "horse"), riddle("wide", "horse"))
            ],
            "or the machine has chosen the wrong noun": [  # grueso, of a suitcase
                (f"{SUITCASE}tired", f"{SUITCASE}thick")
            ],
            "show their gender": [(TIRED, riddle("big"))],
            "'wibbly'": [(TIRED, riddle("wibbly"))],
            "in quotes": [(TIRED, 5)],
            "(did you mean 'tree' or 'trees'?)": [("I like treez", "I like trees")],
        },
    ),
}
