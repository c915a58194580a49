"""What the exercises of the notebooks are checked with: each check names the likely mistake.

A check is called with the attempt, and `...` stands for none yet:

    from course.chapters.ch00_start_here import checks as start_here
    start_here.one_word_changes_the_gender(..., ...)  # ○ not tried yet

Right, wrong and untried differ by a word, a sign and, where colors can be shown, a color.
While you learn, a check prints. Where work is graded (`with graded():`), it raises its Hint.

    exercises   what a check is made of: Exercise, Value, Values, and functions with a decorator
    hints       what a check says, and whether it prints or raises it
    reading     what readers hand in, as numbers, shapes, letters
    comparing   what a function returns, and whether it is the same as something else
    watching    whose work it is
    faults      programs with planted faults to be found
    guesses     a guess before something is measured
"""

from course.checks.comparing import ELSEWHERE as ELSEWHERE
from course.checks.comparing import Parts as Parts
from course.checks.comparing import a_number as a_number
from course.checks.comparing import a_tensor as a_tensor
from course.checks.comparing import alike as alike
from course.checks.comparing import call as call
from course.checks.comparing import compare as compare
from course.checks.comparing import elsewhere as elsewhere
from course.checks.comparing import own_work as own_work
from course.checks.comparing import plain as plain
from course.checks.comparing import result_of as result_of
from course.checks.comparing import same as same
from course.checks.comparing import tell_apart as tell_apart
from course.checks.exercises import Exercise as Exercise
from course.checks.exercises import Value as Value
from course.checks.exercises import Values as Values
from course.checks.exercises import exercise as exercise
from course.checks.exercises import implement as implement
from course.checks.faults import fault_in_a_stack as fault_in_a_stack
from course.checks.faults import judge_verdicts as judge_verdicts
from course.checks.faults import wrong_verdicts as wrong_verdicts
from course.checks.guesses import reveal as reveal
from course.checks.hints import GRADED as GRADED
from course.checks.hints import LONG as LONG
from course.checks.hints import Hint as Hint
from course.checks.hints import NotTried as NotTried
from course.checks.hints import expect as expect
from course.checks.hints import graded as graded
from course.checks.hints import in_part as in_part
from course.checks.hints import in_words as in_words
from course.checks.hints import no_slip as no_slip
from course.checks.hints import reason_of as reason_of
from course.checks.reading import a_kind as a_kind
from course.checks.reading import as_hypothesis as as_hypothesis
from course.checks.reading import as_number as as_number
from course.checks.reading import as_shape as as_shape
from course.checks.reading import by_value as by_value
from course.checks.reading import in_a_row as in_a_row
from course.checks.reading import numbers_in as numbers_in
from course.checks.reading import one_letter as one_letter
from course.checks.reading import one_number as one_number
from course.checks.reading import whole_number as whole_number
from course.checks.reading import whole_numbers as whole_numbers
from course.checks.reading import with_tensors as with_tensors
from course.checks.watching import Attempt as Attempt
