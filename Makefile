# Everything here sets itself up: it needs python3 (3.11 or newer) with venv, and the package registry.
PYTHON ?= python3
VENV ?= .venv
DIST ?= dist
SECONDS ?= 60
BIN := $(VENV)/bin
SOURCES := pyproject.toml setup.py src/unjudged/kernels/fast.pyx $(wildcard src/unjudged/kernels/*.pxi)

.PHONY: help demo test test-wheel test-torch test-all fuzz lint types layers docs site bench experiments dist manylinux clean

help:  ## Show what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/installed: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group test
	@touch $@

$(VENV)/installed-report: $(VENV)/installed
	@$(BIN)/python -m pip install --quiet --editable '.[report]'
	@touch $@

demo: $(VENV)/installed-report  ## Make a small collection, and show on it what unjudged documents do to scores
	@rm -rf unjudged-demo
	@$(BIN)/unjudged demo unjudged-demo

$(VENV)/browser: $(VENV)/installed-test
	@# Tests of pages use Chromium; where it is missing and cannot be installed, they are skipped and say so.
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! command -v chromedriver >/dev/null; then \
		echo "Installing chromium and chromium-driver on this system with apt-get, for the tests of pages (root only)"; \
		(apt-get update -qq && apt-get install -y -qq chromium chromium-driver) >/dev/null 2>&1 || true; \
	fi
	@touch $@

AXE := axe-core@4.14.1
$(VENV)/axe-core: $(VENV)/installed-test
	@# Tests of pages look for what keeps people out with axe-core (MPL-2.0, run by tests only); without npm they skip that.
	@mkdir -p $@
	@if command -v npm >/dev/null; then \
		(cd $@ && npm pack --silent $(AXE) >/dev/null && tar -xzf axe-core-*.tgz package/axe.min.js && rm axe-core-*.tgz) || true; \
	fi
	@touch $@

# Tests start many processes: where Python is told not to keep what it compiled, each would compile the package anew.
test test-all: export PYTHONDONTWRITEBYTECODE :=

test: $(VENV)/browser $(VENV)/axe-core lint types layers  ## Lint, types, layers, and all tests with both cores
	$(BIN)/python -m pytest -q -n auto -m "not slow"
	UNJUDGED_CORE=reference $(BIN)/python -m pytest -q -n auto -m "not slow" tests/io tests/measures tests/studies

test-wheel: $(VENV)/installed-test  ## The wheel alone in a new environment, and what it says about extras that it lacks
	$(BIN)/python -m pytest -q tests/distribution/test_wheel_alone.py

$(VENV)/installed-torch: $(VENV)/installed-test
	$(BIN)/python -m pip install --quiet --group torch-peers
	@touch $@

test-torch: $(VENV)/installed-torch  ## What is compared with BEIR and MTEB, which need torch; then `make test-all` does that, too
	$(BIN)/python -m pytest -q tests/compat/test_beir.py tests/compat/test_beir_drop_in.py

$(VENV)/installed-large: $(VENV)/installed-test
	$(BIN)/python -m pip install --quiet --group clusters --group large-peers --group dist
	@touch $@

test-all: export UNJUDGED_EXAMPLES := new
test-all: $(VENV)/browser $(VENV)/axe-core $(VENV)/installed-large lint types layers  ## The same with the slow tests, some of them on Dask and Ray, and new random examples
	$(BIN)/python -m pytest -q -n auto
	UNJUDGED_CORE=reference $(BIN)/python -m pytest -q -n auto

fuzz: $(VENV)/installed-test  ## Hostile input for a while, on all cores; what fails is kept in fuzz-failures/: make fuzz SECONDS=600
	$(BIN)/python tests/fuzz/fuzz.py --seconds $(SECONDS)

lint: $(VENV)/installed-test  ## Style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed-test  ## Types
	$(BIN)/mypy

layers: $(VENV)/installed-test  ## Which way the layers may look
	$(BIN)/lint-imports

docs: $(VENV)/installed-test  ## Rewrite the generated reference pages and pictures
	$(BIN)/python docs/generate.py

site: $(VENV)/installed-test docs  ## Build the documentation site in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

experiments: $(VENV)/installed-test  ## Make pages of experiments/results again that are older than their code
	$(BIN)/python experiments/pages.py --make

dist: $(BIN)/python  ## Build the wheel and the sdist in dist/, with the same bytes for the same commit
	$(BIN)/python -m pip install --quiet --group dist
	rm -rf dist
	export SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct); $(BIN)/python -m build && $(MAKE) --no-print-directory manylinux
	$(BIN)/twine check --strict dist/*

manylinux:
	@# Linux wheels for all systems with a C library as old as the symbols that the core uses, and not for this machine only.
	@# The umask, because a repaired wheel has the modes of the files into which it was unpacked.
	umask 022; export PATH="$(abspath $(BIN)):$$PATH"; for wheel in $(DIST)/*-linux_*.whl; do \
		test ! -e "$$wheel" || { auditwheel repair --wheel-dir $(DIST) "$$wheel" && rm "$$wheel"; } || exit 1; \
	done

bench: $(VENV)/installed  ## Time this project beside its peers; writes benchmarks/RESULTS.md
	$(BIN)/python -B benchmarks/bench.py

clean:  ## Remove everything that was built
	rm -rf $(VENV) build dist site unjudged-demo fuzz-failures src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -f src/unjudged/kernels/fast.c src/unjudged/kernels/fast.*.so
