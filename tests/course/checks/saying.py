"""What a check says to an attempt: shared by the tests of all exercises."""


def said(capsys, checked, *attempt) -> str:
    """The one line that the check prints, without its own name and the sign in front."""
    checked(*attempt)
    line = capsys.readouterr().out
    assert line.count("\n") == 1
    assert line.startswith(f"{checked.__name__}: ")
    sign, answer = line.removeprefix(f"{checked.__name__}: ").strip().split(" ", 1)
    assert sign == {"right!": "✓", "not tried yet": "○"}.get(answer, "✗")
    return answer


def refused(answer: str, hint: str) -> bool:
    return answer.startswith("not yet. ") and hint in answer
