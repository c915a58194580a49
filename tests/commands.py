"""How the tests of a command line call it, and what a refusal is."""

from collections.abc import Callable


def caller(main: Callable, capsys) -> Callable:
    """call(*arguments) -> status, standard output, standard error."""

    def call(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def refused(result, *parts, program="transformer-lib"):
    """Status 2, nothing on standard output, one sentence on standard error."""
    status, out, err = result
    assert (status, out) == (2, "")
    assert err.startswith(f"{program}: ") and err.count("\n") == 1
    assert "Traceback" not in err
    for part in parts:
        assert part in err
