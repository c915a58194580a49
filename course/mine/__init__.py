"""One Transformer of the reader's own, in twelve parts, which the notebooks 02 to 11 teach.

from course import mine

mine.check(attention)      # attention: ✓ right!
own = mine.parts()         # own.Transformer, own.update …: the missing ones are lent
mine.progress()            # Your own Transformer: 3 of 12 parts ...
mine.translate("I like trees")  # with the parts that are there; the others are lent
"""

from course.mine.reader import check as check
from course.mine.reader import parts as parts
from course.mine.reader import progress as progress
from course.mine.reader import translate as translate
