# Everything a newcomer needs; `make` alone says what there is.
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Options for pytest, such as ARGS="-x tests/core".
ARGS ?=
# Processes that `make test` shares the files of tests out to.
WORKERS ?= 2
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-emit-index-url
export UV_CUSTOM_COMPILE_COMMAND = make lock

.DEFAULT_GOAL := help
.PHONY: help setup demo ablation-demo test test-ui test-slow lint format bench-replay bench-compile bench-soleval bench-overhead bench-oracles bench-requests bench-sandbox bench-translator bench-violations lock clean

help: ## say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## make .venv with pinned packages and install Node, Foundry and compilers

$(READY): requirements/build.txt requirements/lock.txt pyproject.toml tools/setup.sh
	@VENV=$(VENV) sh tools/setup.sh

demo: $(READY) ## do the main job on the embedded benchmark, without a key or an account
	@$(BIN)/solexp run experiments=demo

ablation-demo: $(READY) ## run an ablation whose truth is known, and see what compare finds (3 minutes)
	@$(BIN)/python -m tools.ablation

test: $(READY) ## run the tests, but for those that take minutes
	$(BIN)/python -m pytest -m "not slow" -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

test-ui: $(READY) ## run only the tests that drive a headless browser (needs chromium)
	$(BIN)/python -m pytest -m ui $(ARGS)

test-slow: $(READY) ## run the tests that take minutes
	$(BIN)/python -m pytest -m slow $(ARGS)

lint: $(READY) ## check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers auto
	$(BIN)/lint-imports

format: $(READY) ## format the code
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

bench-replay: $(READY) ## measure replay throughput beside Hardhat and step-by-step anvil
	@$(BIN)/python bench/replay.py

bench-compile: $(READY) ## measure compile throughput beside one solcjs process a call
	@$(BIN)/python bench/compile.py

bench-soleval: $(READY) ## measure judging by repositories' tests beside forge in the whole repository
	@$(BIN)/python bench/soleval.py

bench-overhead: $(READY) ## measure the harness's own CPU time
	@$(BIN)/python bench/overhead.py

bench-oracles: $(READY) ## measure replay and dcr beside Hardhat with web3.py, fuzzing, and the search for sequences
	@$(BIN)/python -m bench.oracles

bench-requests: $(READY) ## measure what asking a model costs beyond the bare SDK
	@$(BIN)/python bench/asking.py

bench-sandbox: $(READY) ## measure calling Python candidates beside one plain process a candidate
	@$(BIN)/python bench/sandbox.py

bench-translator: $(READY) ## compare the translator of contracts with Python on random expressions
	@$(BIN)/python -m bench.translator

bench-violations: $(READY) ## find and execute contract-violating tests of all of ContractEval's tasks
	@$(BIN)/python -m bench.violations

lock: ## pin the newest fitting packages anew, with hashes (LOCK=--upgrade to move all of them)
	$(COMPILE) $(LOCK) requirements/build.in -o requirements/build.txt
	$(COMPILE) $(LOCK) -c requirements/build.txt --extra dev pyproject.toml -o requirements/lock.txt

clean: ## remove the environment and caches of the checkout (not runs, data or tools)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
