import pytest


@pytest.fixture
def file(tmp_path):
    """write(content) -> the path of a file with it."""

    def write(content, name="pairs.tsv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
