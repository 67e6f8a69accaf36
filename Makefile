# Every command of daily work; `make help` lists them. CONTRIBUTING.md says why there are three
# environments. An environment is made once and again when its lock file changes.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The first Python that starts and is new, but not too new, enough.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null \
	&& echo $$p && break; done)
# paddlenlp's pins have wheels for 3.11 only.
PYTHON_PADDLENLP ?= python3.11

PIP_VERSION := 26.3
UV_VERSION := 0.13.9
PIP_INSTALL := -m pip install --quiet --quiet --disable-pip-version-check --no-input

APP := .venv/bin/python
REFERENCE := .venv-reference/bin/python
PADDLENLP := .venv-paddlenlp/bin/python
PYTEST := $(APP) -m pytest

# What Qt's xcb, wayland and offscreen platforms and PaddlePaddle link to and do not bring, glyphs for
# Chinese, and Xvfb for screenshots.
SYSTEM_PACKAGES := python3-venv libgomp1 libzstd1 libglib2.0-0 libdbus-1-3 \
	libegl1 libgl1 libx11-6 libx11-xcb1 libxkbcommon0 libxkbcommon-x11-0 \
	libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render0 \
	libxcb-render-util0 libxcb-shape0 libxcb-shm0 libxcb-sync1 libxcb-util1 libxcb-xfixes0 \
	libxcb-xkb1 libwayland-cursor0 libwayland-egl1 \
	libfontconfig1 libfreetype6 fontconfig fonts-noto-cjk xvfb xauth

.PHONY: help setup setup-reference setup-paddlenlp system-deps lock clean run test test-slow fuzz \
	fault-test \
	lint lint-style lint-metadata lint-spelling lint-imports lint-types format parity \
	paddlenlp-test bench screenshots translations

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

# --- environments ---------------------------------------------------------------------------------

setup: .venv/installed ## .venv: the app and its tests
setup-reference: .venv-reference/installed ## .venv-reference: torch and diffusers, the oracle
setup-paddlenlp: .venv-paddlenlp/installed ## .venv-paddlenlp: the extra of that name

# $(1) environment, $(2) interpreter, $(3) lock file
define make_environment
	@test -n "$(2)" || { echo "No Python 3.11, 3.12 or 3.13 found: set PYTHON=..." >&2; exit 1; }
	@echo "$(1): installing $(3), once; this downloads some hundred megabytes"
	@test -x $(1)/bin/python || $(2) -m venv $(1)
	@$(1)/bin/python $(PIP_INSTALL) pip==$(PIP_VERSION)
	@$(1)/bin/python $(PIP_INSTALL) --requirement $(3)
endef

.venv/installed: requirements/app.txt pyproject.toml
	$(call make_environment,.venv,$(PYTHON),requirements/app.txt)
	@$(APP) $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

.venv-reference/installed: requirements/reference.txt
	$(call make_environment,.venv-reference,$(PYTHON),requirements/reference.txt)
	@touch $@

.venv-paddlenlp/installed: requirements/paddlenlp.txt pyproject.toml
	$(call make_environment,.venv-paddlenlp,$(PYTHON_PADDLENLP),requirements/paddlenlp.txt)
	@$(PADDLENLP) $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

# A package counts also where a successor provides it, as libglib2.0-0t64 does.
system-deps: ## Debian and Ubuntu packages: installs as root, else prints the command
	@if ! command -v dpkg-query >/dev/null; then \
		echo "Not Debian or Ubuntu. Needed, under this system's names: $(SYSTEM_PACKAGES)" >&2; \
		exit 0; \
	fi; \
	present=$$(dpkg-query -W -f '$${db:Status-Abbrev}|$${Package}, $${Provides}\n' \
		| sed -n 's/^ii *|//p' | tr ',' '\n' | sed -E 's/^ +| *\(.*//g'); \
	missing=$$(comm -23 <(printf '%s\n' $(SYSTEM_PACKAGES) | sort -u) <(sort -u <<<"$$present") \
		| tr '\n' ' '); \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then \
		echo "Installing $$missing"; \
		apt-get update -qq; \
		DEBIAN_FRONTEND=noninteractive \
			apt-get install -qq -y --no-install-recommends $$missing >/dev/null; \
	else \
		echo "Packages are missing. Please run:" >&2; \
		echo "  sudo apt-get install --no-install-recommends $$missing" >&2; \
	fi

lock: ## rewrite requirements/*.txt from pyproject.toml; UPGRADE=1 takes the newest releases
	@test -x .venv-lock/bin/uv || $(PYTHON) -m venv .venv-lock
	@.venv-lock/bin/python $(PIP_INSTALL) uv==$(UV_VERSION)
	@compile() { .venv-lock/bin/uv pip compile --quiet --no-header --no-annotate \
		--no-emit-index-url $(if $(UPGRADE),--upgrade) --python-version 3.11 "$$@"; }; \
	compile --universal --generate-hashes pyproject.toml --group dev \
		--output-file requirements/app.txt; \
	compile --universal --group reference --excludes requirements/excludes.txt \
		--output-file requirements/reference.txt; \
	compile --python-platform x86_64-manylinux_2_28 --generate-hashes pyproject.toml \
		--extra paddlenlp --group paddlenlp-test --output-file requirements/paddlenlp.txt

clean: ## remove caches and environments
	rm -rf .venv .venv-reference .venv-paddlenlp .venv-lock build dist
	rm -rf .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- work -----------------------------------------------------------------------------------------

run: system-deps setup ## set everything up, then start the app
	@.venv/bin/danqing

test: system-deps setup ## the default suite
	$(PYTEST)

test-slow: system-deps setup ## what is too slow for the default suite
	$(PYTEST) -m slow

fuzz: system-deps setup ## 100,000 hostile inputs for each reader of files
	$(PYTEST) -m fuzz tests/fuzz

fault-test: system-deps setup ## batches killed at 200 random moments, disks that fail at every write
	$(PYTEST) -m "fault or slow" tests/faults

lint: lint-style lint-metadata lint-spelling lint-imports lint-types ## all five kinds of check

lint-style: setup
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

lint-metadata: setup
	.venv/bin/validate-pyproject pyproject.toml

lint-spelling: setup
	.venv/bin/typos

lint-imports: setup
	.venv/bin/lint-imports --no-logo

lint-types: setup
	.venv/bin/pyright

format: setup ## put the code into the form that lint asks for
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

# Fresh cases from the reference first, then our outputs on them. Golden files stay as they are.
SEED ?= 1
parity: setup setup-reference ## our networks and pictures against diffusers; SEED=N takes other cases
	@cases=$$(mktemp -d); trap 'rm -rf "$$cases"' EXIT; \
	echo "The reference makes its cases, seed $(SEED)"; \
	$(REFERENCE) -m tests.parity.make_golden --random $(SEED) --out "$$cases/networks"; \
	$(REFERENCE) -m tests.parity.pipeline_golden "$$cases/pipeline"; \
	DANQING_PARITY_CASES="$$cases/networks" DANQING_PARITY_PIPELINE="$$cases/pipeline" \
		$(PYTEST) tests/parity tests/engine/test_pipeline.py

paddlenlp-test: setup-paddlenlp ## the paddlenlp extra, in its own environment
	$(PADDLENLP) -m pytest -c tests/paddlenlp/pytest.ini tests/paddlenlp

bench: setup setup-reference ## the figures, in one run
	$(APP) -m tests.bench
	$(APP) -m tests.bench.window

screenshots: system-deps setup ## pictures of every window, for looking at
	$(APP) -m tests.screenshots

# --- languages ------------------------------------------------------------------------------------

TRANSLATED = desktop/messages.py desktop/check_texts.py $(shell find engine/checks -name '*.py') \
	$(wildcard desktop/prompts/*.py desktop/store/metadata/*.py) \
	$(wildcard desktop/views/*.py desktop/widgets/*.py)
LUPDATE = .venv/bin/pyside6-lupdate -silent -no-obsolete -locations none \
	-tr-function-alias QT_TR_NOOP+=say -source-language en

translations: setup ## new texts into resources/i18n/*.ts, to be translated there
	@$(LUPDATE) -target-language zh_CN $(TRANSLATED) -ts resources/i18n/danqing_zh_CN.ts
	@$(LUPDATE) -target-language en -pluralonly $(TRANSLATED) -ts resources/i18n/danqing_en.ts
	@grep -c 'type="unfinished"' resources/i18n/*.ts || true
