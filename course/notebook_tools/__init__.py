"""The notebooks as files: how they are divided, run, stored, compared and counted.

sections.py   a notebook's sections, core or deeper, and what they hold
run.py        runs notebooks and stores them in the one form that git keeps
compare.py    stored outputs against new ones, as a person would compare them
count.py      words, cells and minutes
pages.py      the index of ideas and the glossary, from tags on the cells (pages.yml)
"""
