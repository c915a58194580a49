from pathlib import Path

import pooch
import pytest

from transformer_lib.text.data import cache_folder, read_pairs

HEADER = b"english\tspanish\n"


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "line 1: expected the header english"),
        (b"en\tes\n", "line 1: expected the header english"),
        (HEADER + b"Hi\tHola\nHi\n", "line 3: expected 2 cells between tabs, found 1"),
        (HEADER + b"Hi\tHola\textra\n", "line 2: expected 2 cells between tabs, found 3"),
        (HEADER + b"Hi\t \n", "line 2: a cell is empty"),
        (HEADER + b"\nHi\tHola\n", "line 2: expected 2 cells"),
        (HEADER + b"Hi\t\xff\n", "is not UTF-8 text"),
    ],
)
def test_damaged_files_are_refused_by_name_and_line(file, content, message):
    with pytest.raises(ValueError, match=message) as error:
        read_pairs(file(content))
    assert "pairs.tsv" in str(error.value)


def test_downloads_go_where_the_environment_says_or_else_to_the_systems_cache(monkeypatch):
    monkeypatch.setenv("TRANSFORMER_LIB_CACHE", "somewhere/else")
    assert cache_folder() == Path("somewhere/else")
    systems = Path(pooch.os_cache("transformer-lib"))
    monkeypatch.setenv("TRANSFORMER_LIB_CACHE", "")
    assert cache_folder() == systems
    monkeypatch.delenv("TRANSFORMER_LIB_CACHE")
    assert cache_folder() == systems
