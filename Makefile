# Two commands are enough:  make lab  and  make test  (make alone explains them).
# Everything is installed into the folder .venv; nothing outside the project changes.

# The Pythons that pyproject.toml allows.
PYTHONS := 3.13 3.12 3.11
SUPPORTED := import sys; sys.exit("%d.%d" % sys.version_info[:2] not in "$(PYTHONS)".split())
# The first Python here that is one of them. To choose yourself: make lab PYTHON=/path/to/python3.12
PYTHON ?= $(shell for p in python3 $(PYTHONS:%=python%); do \
	"$$p" -c '$(SUPPORTED)' 2>/dev/null && echo "$$p" && break; done)

# uv does in seconds what pip does in a minute.
UV := $(shell command -v uv 2>/dev/null)
INSTALL := $(if $(UV),uv pip install --python .venv/bin/python,\
	.venv/bin/python -m pip install --disable-pip-version-check)

# Where to take PyTorch from, if not from the usual place (docs/install.md: "Linux without a GPU").
TORCH_INDEX ?=
# A folder that `make wheelhouse` has filled, for an installation without a network.
WHEELS ?=
OFFLINE := $(if $(WHEELS),--no-index --find-links "$(WHEELS)")

.PHONY: help lab grading wheelhouse quick test pythons nightly oldest newest site slides book check edit notebooks pages count look lock release clean

help:
	@echo "make lab        open the notebooks in JupyterLab (the first time: install into .venv)"
	@echo "make grading    install what grading needs (for teachers: docs/teaching.md)"
	@echo "make wheelhouse fetch all that an installation needs, for a class without a network"
	@echo "make quick      run style and the quick tests of the library (a minute, for its authors)"
	@echo "make test       run every test and every notebook"
	@echo "make pythons    run every test with each Python that is here, in an environment of its own"
	@echo "make nightly    the same as make test, and what takes long: all that documents say, another order (hours)"
	@echo "make oldest     run the library's tests with the oldest versions it allows (needs uv)"
	@echo "make newest     run the tests with the newest versions it allows (needs uv)"
	@echo "make site       make the series as pages to read anywhere (the folder site)"
	@echo "make slides     the same, and say where the slides are: a deck for each notebook"
	@echo "make book       the same, and print all of it as site/book.pdf (needs Chromium or Chrome)"
	@echo "make check      run style, types, and the tests of files that you have changed (for authors)"
	@echo "make edit       open the notebooks themselves, not copies of them (for authors)"
	@echo "make notebooks  run every notebook and store its new outputs (for authors)"
	@echo "make pages      write index, glossary, list of figures, the laboratory's picture (for authors)"
	@echo "make look       make the site, and pictures of each kind of its pages (for authors)"
	@echo "make count      count words, cells and minutes of the notebooks (for authors)"
	@echo "make lock       bring constraints.txt up to date with pyproject.toml (for authors; needs uv)"
	@echo "make release    build all that a release consists of, and compare (for authors)"
	@echo "make clean      remove .venv, for a fresh start"

lab: .venv/has-lab
	.venv/bin/python tools/start_jupyterlab.py

grading: .venv/has-grading
	@echo "Ready: .venv/bin/python -m course.grading --help"

# For this system and this Python. EXTRA=grading is for teachers, EXTRA=test for authors.
EXTRA ?= lab
wheelhouse: | .venv/bin/python
	.venv/bin/python tools/wheelhouse.py --extra "$(EXTRA)" $(if $(TORCH_INDEX),--torch-index "$(TORCH_INDEX)")

quick: .venv/has-test
	.venv/bin/python tools/quick.py

test: .venv/has-test
	.venv/bin/python -m pytest --numprocesses auto --maxprocesses 8 --dist loadfile

# Each of PYTHONS that is there; one that fails ends it.
pythons:
	@set -e; for p in $(PYTHONS); do command -v "python$$p" >/dev/null || continue; \
		"python$$p" -m venv --clear ".pythons/$$p"; \
		".pythons/$$p/bin/python" -m pip install --disable-pip-version-check -c constraints.txt -e ".[test]"; \
		".pythons/$$p/bin/python" -m pytest --numprocesses auto --maxprocesses 8 --dist loadfile; done

# With another PyTorch as well, the one built for CUDA: make nightly ALSO=/path/to/its/python
nightly: .venv/has-test
	.venv/bin/python tools/nightly.py $(ALSO)

# What pyproject.toml allows, tried out in a folder of its own. Old packages warn of newer ones: no error.
oldest:
	uv venv --clear --python 3.11 .oldest
	uv pip install --python .oldest/bin/python --resolution lowest-direct -e ".[plots]" \
		"pytest>=8.3.3" "pytest-xdist>=3.8" "hypothesis>=6.140" "nbval>=0.11" "ipykernel>=6.29.5" "jupyter-core>=5.7.2"
	JUPYTER_PLATFORM_DIRS=1 .oldest/bin/python -m pytest -W default tests/transformer_lib \
		--ignore tests/transformer_lib/variants/test_hugging_face.py

# What came out since constraints.txt was made. What compares installed versions with it is left out.
newest:
	uv venv --clear --python "$(or $(PYTHON),3.13)" .newest
	uv pip install --python .newest/bin/python --resolution highest -e ".[test]"
	.newest/bin/python -m pytest -W default --numprocesses auto --maxprocesses 8 --dist loadfile \
		--ignore tests/project/test_setup.py

site slides book: .venv/has-site
	.venv/bin/python -m course $@

check: .venv/has-test
	.venv/bin/python tools/check.py $(FILES)

# Before a release: no test sees what is ugly.
look: .venv/has-test site
	.venv/bin/python tools/look.py

edit: .venv/has-lab
	.venv/bin/python tools/start_jupyterlab.py --originals

notebooks: .venv/has-test
	.venv/bin/python -m course.notebook_tools.run

pages: .venv/has-test
	.venv/bin/python -m course.notebook_tools.pages
	.venv/bin/python -m course figures --page notebooks/figures.md
	.venv/bin/python -m course.site.lab_picture

count: .venv/has-test
	.venv/bin/python -m course.notebook_tools.count

# The site, the book and the figures take minutes. TAG=yes tags as well, if all agree.
release: .venv/has-test
	.venv/bin/python tools/release.py $(if $(TAG),--tag)

# What is needed for what stands in pyproject.toml: lab, grading, site, test (which has all of them).
.venv/has-%: pyproject.toml constraints.txt | .venv/bin/python
	@echo "Installing into .venv: a minute or more, depending on the network."
ifneq ($(TORCH_INDEX),)
	$(INSTALL) --no-deps -c constraints.txt --index-url "$(TORCH_INDEX)" torch
endif
	$(INSTALL) $(OFFLINE) -c constraints.txt -e ".[$*]"
	@touch $@

# Kept, though only a pattern names them.
.PRECIOUS: .venv/has-%

.venv/bin/python:
ifneq ($(UV),)
	uv venv --clear $(if $(PYTHON),--python "$(PYTHON)") .venv
else
	@"$(PYTHON)" -c '$(SUPPORTED)' 2>/dev/null || { echo "This needs Python 3.11, 3.12 or 3.13," \
		"but $(or $(PYTHON),python3) is $$("$(or $(PYTHON),python3)" --version 2>/dev/null || echo missing):" \
		"install one of them, or name one with PYTHON=/path/to/python3.12 after the command." >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip' 2>/dev/null || { echo "$(PYTHON) has no venv module:" \
		"on Debian and Ubuntu, run 'sudo apt install python3-venv', then repeat the command." >&2; exit 1; }
	"$(PYTHON)" -m venv --clear .venv
endif

# The CUDA libraries stay out of the lock: the torch wheel that wants them names their versions itself.
lock:
	uv pip compile --quiet --universal --all-extras --no-annotate \
		--custom-compile-command "make lock" --output-file constraints.txt pyproject.toml
	sed -i.old -E '/^(cuda-|nvidia-|triton)/d' constraints.txt && rm constraints.txt.old

clean:
	rm -rf .venv
