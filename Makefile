# Everything here does its own set-up: git, make and Python 3.11, 3.12 or 3.13 are all that a machine needs.
.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench lock docs clean
PY := .venv/bin/python
DURATION ?=
ARGS ?=
TESTS ?=
FULL ?=
export PATH := $(CURDIR)/.venv/bin:$(PATH)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-7s %s\n", $$1, $$2}' Makefile

setup: ## make the virtual environment (.venv) from requirements.lock; instant when done
	@tools/setup.sh

demo: setup ## start Peakline with a simulated fleet and 14 days of history; DURATION=60 tells it all in 60 s
	@.venv/bin/peakline demo $(if $(DURATION),--duration $(DURATION)) $(ARGS)

test: setup ## run all tests; TESTS=tests/house runs a part, ARGS go to pytest
	@$(PY) -m pytest $(TESTS) $(ARGS)

check: setup ## lint, format, types, layers, lock, documents
	@tools/check.sh

bench: setup ## run the benchmarks, shortened; FULL=1 takes the full length
	@for file in bench/[a-z]*.py; do echo "== $$file"; $(PY) "$$file" $(if $(FULL),,--short) $(ARGS) || exit 1; done

lock: setup ## renew requirements.lock after a change of dependencies
	@$(PY) -m tools.lock write

docs: setup ## renew the generated parts of the documents
	@$(PY) -m tools.docs write

clean: ## remove the virtual environment and all caches; data folders stay
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
