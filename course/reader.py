"""What every notebook has at hand: `show` a figure, `reveal` an answer."""

from course.checks import reveal
from course.drawing.display import show

__all__ = ["reveal", "show"]
