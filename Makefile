# Every target makes .venv by itself, from locks with hashes.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8000
OUR_WORDS := --ignore .venv --ignore var --ignore tests --ignore "rssmanager/evaluation/*" --ignore "rssmanager/demo/*"

.PHONY: install demo run test test-browser screenshots check bench fuzz lint format lock messages clean

install: .venv/installed

.venv/installed: requirements.lock requirements-dev.lock
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-dev.lock
	touch $@

demo: install
	$(BIN)/python manage.py demo --port $(PORT)

run: install
	$(BIN)/python manage.py run --port $(PORT)

test: install
	$(BIN)/python -m pytest -n 2 --durations=25 --durations-min=5

test-browser: install
	$(BIN)/python -m pytest -n 2 tests/browser

# Pictures of every page of the demo in var/screenshots; needs Chromium.
screenshots: install
	$(BIN)/python -m tests.screenshots

# AUDIT=required fails too where nothing could be audited.
check: lint
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check
	$(BIN)/python -m tests.audit

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: install
	$(BIN)/python -m tests.benchmarks

# Hostile input by the million; what fails is kept in var/fuzz. FUZZ="--target urls --seed 7" says more.
fuzz: install
	$(BIN)/python -m tests.fuzzing $(FUZZ)

# Needs the uv package; run after a change of pyproject.toml.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml -o requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock

# Brings all catalogues up to date and compiles them; NEW=de begins one for German.
messages: install
	@command -v msgfmt >/dev/null || { echo "make messages needs gettext (apt-get install gettext, brew install gettext)."; exit 1; }
	$(BIN)/python manage.py makemessages $(if $(NEW),--locale $(NEW),--all) --add-location file $(OUR_WORDS)
	$(BIN)/python manage.py compilemessages --ignore .venv --ignore var

clean:
	rm -rf .venv var .mypy_cache .ruff_cache .pytest_cache .hypothesis
