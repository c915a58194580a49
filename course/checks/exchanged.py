"""Exercises that were exchanged for others: what a reader's older copy may still call."""


def one_hot_rows(attempt: object) -> None:
    """Exercise 2 of notebook 01, until it asked for a smaller vocabulary."""
    print(f"one_hot_rows: {in_new_copy('01')}")


def in_new_copy(notebook: str) -> str:
    return f"this exercise was exchanged for another; a new copy of notebook {notebook} has it"
