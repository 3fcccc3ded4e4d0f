# Every target creates .venv first, from hash-pinned locks.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8000
OUR_WORDS := --ignore .venv --ignore var --ignore tests --ignore "rssmanager/evaluation/*" --ignore "rssmanager/demo/*"

# With it, pytest rewrites every test module again, which doubles collection time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install demo run test test-slow test-browser test-nightly screenshots check types layers migrations audit bench fuzz lint format lock messages clean

install: .venv/installed

.venv/installed: requirements.lock requirements-dev.lock
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-dev.lock
	touch $@

demo: install
	$(BIN)/python manage.py demo --port $(PORT)

run: install
	$(BIN)/python manage.py run --port $(PORT)

# Run this before each commit.
test: install
	$(BIN)/python -m pytest -n auto

test-slow: install
	$(BIN)/python -m pytest -n auto -m slow --durations=10 --durations-min=10

test-browser: install
	$(BIN)/python -m pytest -n 2 tests/browser

# Every page at every width in a browser, and many more generated inputs.
test-nightly: install
	$(BIN)/python -m pytest -m nightly
	$(BIN)/python -m pytest -n 2 -m nightly tests/browser
	$(BIN)/python -m tests.screenshots --check --every-look

# Saves screenshots of every demo page in var/screenshots; needs Chromium.
screenshots: install
	$(BIN)/python -m tests.screenshots

check: lint types layers migrations audit

types: install
	$(BIN)/mypy

layers: install
	$(BIN)/lint-imports

migrations: install
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check

# AUDIT=required also fails if the vulnerability service is unreachable.
audit: install
	$(BIN)/python -m tests.audit

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: install
	$(BIN)/python -m tests.benchmarks

# Failing inputs are saved in var/fuzz. Pass options with FUZZ="--target urls --seed 7".
fuzz: install
	$(BIN)/python -m tests.fuzzing $(FUZZ)

# Run this after changing pyproject.toml; needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml -o requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock

# Updates and compiles all translations; NEW=de starts a German one.
messages: install
	@command -v msgfmt >/dev/null || { echo "make messages needs gettext (apt-get install gettext, brew install gettext)."; exit 1; }
	$(BIN)/python manage.py makemessages $(if $(NEW),--locale $(NEW),--all) --add-location file --no-obsolete $(OUR_WORDS)
	$(BIN)/python manage.py compilemessages --ignore .venv --ignore var

clean:
	rm -rf .venv var .mypy_cache .ruff_cache .pytest_cache .hypothesis
