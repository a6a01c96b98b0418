# make run     the walkthrough at http://localhost:8501
# make test    format, lint, types and all tests
# make bench   what the numbers in the documentation were measured with
# make clean   remove the virtual environment and the caches
#
# PYTHON=/path/to/python3.11 names another interpreter for the virtual environment.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check
export PYTHON

.PHONY: run test bench clean
.DELETE_ON_ERROR:

run: $(VENV)/runtime.stamp
	PYTHONPATH=. $(BIN)/streamlit run dashboard/server.py

test: $(VENV)/development.stamp $(VENV)/chromium.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest

bench: $(VENV)/development.stamp $(VENV)/chromium.stamp
	$(BIN)/python -m benchmarks.compute
	$(BIN)/python -m benchmarks.edits
	$(BIN)/python -m benchmarks.browser

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/created.stamp:
	tools/make-venv $(VENV)
	touch $@

$(VENV)/runtime.stamp: requirements.txt $(VENV)/created.stamp
	$(PIP) -r requirements.txt
	touch $@

$(VENV)/development.stamp: requirements-dev.txt requirements.txt $(VENV)/created.stamp
	$(PIP) -r requirements-dev.txt
	touch $@ $(VENV)/runtime.stamp

$(VENV)/chromium.stamp: $(VENV)/development.stamp
	tools/install-chromium $(BIN)/python
	touch $@
