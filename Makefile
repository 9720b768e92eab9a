# `make demo` and `make test` do all their own set-up, in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNELS := $(shell find src/prowess/model src/prowess/matchmaking -name '*.py' -o -name '*.pxd') setup.py pyproject.toml
CC_FOUND := $(shell command -v cc 2>/dev/null || command -v gcc 2>/dev/null || command -v clang 2>/dev/null)
# Where a compiler is found, or in CI, kernels that do not compile are an error.
export PROWESS_REQUIRE_COMPILED ?= $(if $(or $(CC_FOUND),$(filter true,$(CI))),1,0)
# Tests that need the shared match histories find them here, or skip.
export PROWESS_DATA ?= $(wildcard ../shared/data)
# What Python compiles is kept, or every process of the tests would compile all of it again.
unexport PYTHONDONTWRITEBYTECODE
TWO := --numprocesses 2 --dist worksteal
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

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

test: lint test-compiled test-pure  ## everything that must hold before a change lands

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test-compiled: $(VENV)/test.stamp
	$(BIN)/pytest $(TWO)

test-pure: $(VENV)/test.stamp  ## the kernel tests once more, uncompiled
	$(BIN)/pytest $(TWO) --pure tests/model tests/matchmaking/test_matching.py tests/matchmaking/test_pair.py

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
	$(BIN)/python -m tests.pages.screenshots

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: $(BIN)/python $(KERNELS) constraints.txt
	@echo "Setting up: packages are downloaded and the kernels compiled, once; this takes a few minutes"
	$(INSTALL) '.[lab]'
	@touch $@

$(VENV)/bench.stamp: $(VENV)/test.stamp
	$(INSTALL) '.[bench]'
	@touch $@

# Programs of the system are fetched while the kernels are compiled; what cannot be had is for the tests to say.
$(VENV)/test.stamp: $(BIN)/python $(KERNELS) constraints.txt package.json tools/programs.sh
	sh tools/programs.sh & programs=$$!; $(INSTALL) '.[test]' && wait $$programs
	@touch $@ $(VENV)/demo.stamp

clean:
	rm -rf build $(VENV) node_modules screenshots
	find src -name '*.so' -delete
