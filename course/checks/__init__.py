"""What the exercises of the notebooks are checked with: each check names the likely mistake.

A check is called with the attempt, and `...` stands for none yet:

    from course.chapters.ch00_start_here import checks as start_here
    start_here.one_word_changes_the_gender(..., ...)  # ○ not tried yet

Right, wrong and untried differ by a word, a sign and, where colors can be shown, a color.
While you learn, a check prints. Where work is graded (`with graded():`), it raises its Hint.

    exercises   what a check is made of: Exercise, Value, Values, and functions with a decorator
    hints       what a check says, and whether it prints or raises it
    reading     what readers hand in, as numbers, shapes, hypotheses
    comparing   what a function returns, and whether it is the same as something else
    watching    whose work it is
    faults      programs with planted faults to be found
    guesses     a guess before something is measured
"""

from course.checks.comparing import (
    ELSEWHERE,
    Parts,
    a_number,
    a_tensor,
    alike,
    call,
    compare,
    drawn,
    elsewhere,
    not_this,
    own_work,
    plain,
    result_of,
    same,
    tell_apart,
)
from course.checks.exercises import Exercise, Value, Values, exercise, implement
from course.checks.faults import Verdicts, fault_in_a_stack, not_so, wrong_verdicts
from course.checks.guesses import reveal
from course.checks.hints import (
    GRADED,
    Hint,
    NotTried,
    expect,
    graded,
    in_part,
    in_words,
    no_slip,
    reason_of,
)
from course.checks.reading import (
    a_kind,
    as_hypothesis,
    as_number,
    as_shape,
    numbers_in,
    one_number,
    whole_number,
    whole_numbers,
    with_tensors,
)
from course.checks.watching import Attempt
