"""The figures of notebook 02: words as places on a map."""

SOME_WORDS = "cat dog horse cow apple water eagle classroom gave sent wide wider".split()
