# `make demo` and `make test` do all their own set-up, in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WITH_KERNELS := $(addprefix src/prowess/,model matchmaking history/cells store/journal/scanner.py)
KERNELS := $(shell find $(WITH_KERNELS) -name '*.py' -o -name '*.pxd') setup.py pyproject.toml
CC_FOUND := $(shell command -v cc 2>/dev/null || command -v gcc 2>/dev/null || command -v clang 2>/dev/null)
# Where a compiler is found, or in CI, kernels that do not compile are an error.
export PROWESS_REQUIRE_COMPILED ?= $(if $(or $(CC_FOUND),$(filter true,$(CI))),1,0)
# Tests that need the shared match histories find them here, or skip.
export PROWESS_DATA ?= $(wildcard ../shared/data)
# What Python compiles is kept, or every process of the tests would compile all of it again.
unexport PYTHONDONTWRITEBYTECODE
TWO := --numprocesses 2 --dist worksteal
# Packages are not compiled to bytecode when they come: of most, little is ever imported.
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --constraint constraints.txt
# The package itself comes without kernels: they are compiled at the same time.
PACKAGES := PROWESS_PURE=1 PROWESS_REQUIRE_COMPILED=0 $(INSTALL) --editable
AT_ONCE := $(MAKE) --no-print-directory --jobs 4

.PHONY: demo papers test lint test-compiled test-pure test-long bench bench-service golden screenshots clean

demo: $(VENV)/demo.stamp  ## rate the example league, predict, draw a skill curve
	$(BIN)/prowess demo

# A paper is run where at least one of its files is; only the classics need none.
there = $(if $(wildcard $(addprefix $(PROWESS_DATA)/,$(2))),$(1))
LEAGUES := premier_league_1995_2009.csv afl_1999_2009.csv
OTHERS := international_football.csv f1_race_results.csv llm_comparisons.csv chgk_team_results.csv.gz
PAPERS := classics $(call there,tournaments,chgk_team_results.csv.gz) \
  $(call there,scores,$(LEAGUES) HeadToHead.csv) $(call there,best,$(LEAGUES) $(OTHERS)) \
  $(call there,halo2,FreeForAll.csv SmallTeam.csv HeadToHead.csv LargeTeam.csv)

papers: $(VENV)/demo.stamp  ## run the papers on the files of PROWESS_DATA; pages go to papers/
	@mkdir -p papers
	set -e; for name in $(PAPERS); do \
	  $(BIN)/prowess papers $$name --data '$(or $(PROWESS_DATA),.)' --jobs 2 --html papers/$$name.html > papers/$$name.txt; \
	  cat papers/$$name.txt; \
	done

test:  ## everything that must hold before a change lands
	@$(AT_ONCE) $(VENV)/programs.stamp $(VENV)/kernels.stamp lint
	@$(MAKE) --no-print-directory test-compiled test-pure

lint: $(VENV)/packages.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test-compiled: $(VENV)/test.stamp
	$(BIN)/pytest $(TWO)

test-pure: $(VENV)/test.stamp  ## the kernel tests once more, uncompiled
	$(BIN)/pytest $(TWO) --pure tests/model tests/matchmaking/blossom tests/matchmaking/pairing/test_pair.py

test-long: $(VENV)/test.stamp  ## what takes minutes, and ten times the examples of Hypothesis
	$(BIN)/pytest --thorough -m "long or hypothesis"

bench: $(VENV)/bench.stamp  ## speed, as ratios against other packages
	$(BIN)/python -m benchmarks

bench-service: $(VENV)/test.stamp  ## speed of the rating service, against bare commits to the same database
	$(BIN)/python -m benchmarks.service

golden: $(VENV)/test.stamp  ## make the golden files anew from the packages that they come from
	$(BIN)/python -m tests.golden.trueskill_matches
	$(BIN)/python -m tests.golden.truncated

screenshots: $(VENV)/test.stamp  ## pictures of all web pages, to screenshots/; the best of them to docs/images/
	$(BIN)/python -m tests.service.pages.screenshots

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# What compiles the kernels is kept away from what runs them, which must do without.
build/tools.stamp: $(BIN)/python constraints.txt
	$(INSTALL) --upgrade --target build/tools setuptools cython
	@touch $@

$(VENV)/kernels.stamp: build/tools.stamp $(KERNELS)
	PYTHONPATH=build/tools $(BIN)/python setup.py --quiet build_ext --inplace >build/kernels.log 2>&1 \
	  || { cat build/kernels.log; exit 1; }
	@grep '^prowess: ' build/kernels.log || true  # that there is no compiler
	@touch $@

$(VENV)/lab.stamp: $(BIN)/python pyproject.toml constraints.txt
	$(PACKAGES) '.[lab]'
	@touch $@

$(VENV)/packages.stamp: $(BIN)/python pyproject.toml constraints.txt
	$(PACKAGES) '.[test]'
	@touch $@ $(VENV)/lab.stamp

# What cannot be had of the system is for the tests to say.
$(VENV)/programs.stamp: $(BIN)/python package.json tools/programs.sh
	sh tools/programs.sh
	@touch $@

$(VENV)/demo.stamp: $(KERNELS) constraints.txt
	@echo "Setting up: packages are downloaded and the kernels compiled, once; this takes a few minutes"
	@$(AT_ONCE) $(VENV)/kernels.stamp $(VENV)/lab.stamp
	@touch $@

$(VENV)/test.stamp: $(KERNELS) constraints.txt package.json tools/programs.sh
	@$(AT_ONCE) $(VENV)/programs.stamp $(VENV)/kernels.stamp $(VENV)/packages.stamp
	@touch $@ $(VENV)/demo.stamp

$(VENV)/bench.stamp: $(VENV)/test.stamp
	$(PACKAGES) '.[bench]'
	@touch $@

clean:
	rm -rf build $(VENV) node_modules screenshots
	find src -name '*.so' -delete
