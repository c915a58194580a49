"""Assignments: built for students and teachers, and graded. `python -m course.grading --help`."""

import os

# Before PyTorch is loaded, and for every process that this one starts: the tensors here are tiny,
# several processes grade at a time, and a second thread would only wait for the first.
os.environ.setdefault("OMP_NUM_THREADS", "1")
