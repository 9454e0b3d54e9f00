# Tasks of windrow; `make` alone lists them. Nothing but Python 3.11 and make has to be there before.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
export PYTHON
BIN := .venv/bin

# Each stamp says that a step of the set-up holds for the files it depends on.
INSTALLED := .venv/.installed
JAVA := .venv/.java
KERNELS := .venv/.kernels
TOOLS := .venv/.tools

.PHONY: help setup demo test test-slow check bench docs lock clean

help: ## List these tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

setup: $(KERNELS) $(JAVA) ## Make .venv from the lock, find Java, compile the kernels

demo: setup ## Watch a live auction stream on Spark (DEMO=packets or rfid for others)
	@$(BIN)/windrow demo $(DEMO)

test: setup $(TOOLS) ## Run the tests
	@$(BIN)/pytest -n auto --dist worksteal --durations=10 $(TESTS)

test-slow: setup $(TOOLS) ## Run the long tests: crashes, sweeps, a Kafka broker
	@$(BIN)/pytest -m slow --timeout=1800 --durations=10 $(TESTS)

check: $(INSTALLED) $(TOOLS) ## Check format, lint, strict types and import layers
	@$(BIN)/ruff format --check
	@$(BIN)/ruff check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

bench: setup $(TOOLS) ## Run the benchmarks (BENCH="passthrough --quick" for less)
	@$(BIN)/windrow bench $(BENCH)

docs: setup $(TOOLS) ## Run every example in the documents and follow their links
	@$(BIN)/pytest -q tests/test_readme.py tests/language/test_language_doc.py

lock: ## Pin the newest packages that pyproject.toml allows
	@setup/lock.sh

clean: ## Remove what these tasks made
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build bench/work
	@find src tests bench -name __pycache__ -prune -exec rm -rf {} +

$(INSTALLED): requirements.lock pyproject.toml setup/venv.sh
	@setup/venv.sh requirements.lock
	@touch $@

$(TOOLS): requirements-dev.lock $(INSTALLED)
	@setup/venv.sh requirements-dev.lock
	@touch $@

$(JAVA): setup/java.sh $(INSTALLED)
	@setup/java.sh
	@touch $@

$(KERNELS): $(shell find src/windrow/kernels -name '*.py') $(INSTALLED)
	@$(BIN)/python -m windrow.kernels
	@touch $@
