# dq_ik. Two commands are all that is needed: `make demo` and `make test`.
# Each target installs what it needs into .venv first; nothing else on the machine is changed
# (except that `make test`, run as root, installs a missing browser).

VENV := .venv
ARGS ?=

# The first Python that is new enough.
PYTHON ?= $(or $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 \
    python3.10; do $$python -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
    && echo $$python && break; done),python3)

SETUP = $(PYTHON) tools/setup --venv $(VENV)
RUN = $(VENV)/bin/python

# Tests run in two processes. One waits while the other computes.
PARALLEL = -n 2 --dist loadfile --no-loadscope-reorder

# A sourced ROS installation must not leak into the virtual environment.
unexport PYTHONPATH PYTHONHOME LD_LIBRARY_PATH AMENT_PREFIX_PATH CMAKE_PREFIX_PATH
unexport COLCON_PREFIX_PATH _ROS_WHEELS_BOOTSTRAP_COMPLETE

.PHONY: help setup demo test lint docs bench fuzz soak licences dist wheel clean

help:
	@echo 'make demo   watch an arm follow a moving goal   ARGS="--duration 5 --no-browser"'
	@echo 'make test   run all tests                       ARGS="test/test_pose.py -x"'
	@echo 'make fuzz   random robots, goals and messages   ARGS="--minutes 5 --seed 1 --ros"'
	@echo 'make soak   a node under mixed load             ARGS="--minutes 30"'
	@echo 'make lint   check style and types'
	@echo 'make docs   build the documentation site into build/docs'
	@echo 'make bench  measure, and compare with peers     ARGS=--quick'
	@echo 'make licences  list the licences of all dependencies'
	@echo 'make dist   write dist/*.tar.gz, from which gcc alone builds'
	@echo 'make wheel  write dist/*.whl for this architecture, all its processors'
	@echo 'make setup  only prepare $(VENV) and the native library'
	@echo 'make clean  remove $(VENV) and everything generated'

setup:
	@$(SETUP)

# With a terminal the demo gets its own foreground job: Ctrl-C then ends it, and not make.
demo:
	@$(SETUP) viewer sim
	@if [ -t 0 ]; then set -m; fi; $(RUN) -m dq_ik demo $(ARGS)

test:
	@$(SETUP) viewer sim test docs
	@$(PYTHON) tools/install_browser.py
	@$(RUN) -m pytest -m 'not linter' $(PARALLEL) $(ARGS)

fuzz:
	@$(SETUP) test
	@$(RUN) -m tools.fuzz $(ARGS)

soak:
	@$(SETUP) test
	@$(RUN) tools/soak.py $(ARGS)

lint:
	@$(SETUP) lint
	@$(RUN) -m ruff check .
	@$(RUN) -m mypy
	@$(RUN) -m pytest --quiet test/test_ament_lint.py test/test_typed_options.py

docs:
	@$(SETUP) docs
	@$(RUN) -m sphinx --fail-on-warning --keep-going --quiet -b html docs build/docs
	@echo build/docs/index.html

bench:
	@$(SETUP) bench
	@$(RUN) -m benchmark.install
	@$(RUN) -m benchmark $(ARGS)

licences:
	@$(SETUP) viewer sim
	@$(RUN) tools/licences.py

dist:
	@$(SETUP)
	@$(RUN) dq_ik/native --generate --output dq_ik/native/generated v2 v3 v4 aarch64
	@$(RUN) setup.py --quiet sdist
	@ls dist/*.tar.gz

wheel:
	@$(SETUP)
	@$(RUN) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

clean:
	rm -rf dq_ik/native/built dq_ik/native/generated
	rm -rf $(VENV) build install log dist *.egg-info .artifacts
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
