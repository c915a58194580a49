"""Assignments: built for students and teachers, and graded. `python -m coursework --help`."""
