"""All interface text is translatable, in templates, modules and scripts."""

from functools import cache

import pytest
from django.template.loader import get_template

from rssmanager.env import PROJECT
from tests.rssmanager.words_in_modules import words_in_script, words_unwrapped
from tests.rssmanager.words_in_templates import words_outside

# The command line, the JSON API, the demo's samples and the evaluation are in English only.
ENGLISH = ("migrations", "management", "v1", "demo", "evaluation")
FILES = sorted(
    [
        *(PROJECT / "templates").rglob("*.html"),
        *(PROJECT / "static" / "js").glob("*.js"),
        *(path for room in ("feeds", "reader", "digests", "rssmanager") for path in (PROJECT / room).rglob("*.py")),
    ]
)
FIND = {".html": words_outside, ".py": words_unwrapped, ".js": words_in_script}


@cache
def _words() -> dict[str, list[str]]:
    """Untranslatable texts by file; files without any are omitted."""
    by_file = {}
    for path in FILES:
        if not set(path.relative_to(PROJECT).parts).intersection(ENGLISH):
            by_file[path.relative_to(PROJECT).as_posix()] = FIND[path.suffix](path.read_text())
    return {name: words for name, words in by_file.items() if words}


def test_all_text_is_translatable() -> None:
    assert _words() == {}


def test_every_template_compiles() -> None:
    """A tag within `blocktranslate` fails only when the page is requested."""
    folder = PROJECT / "templates"
    for path in sorted(folder.rglob("*.html")):
        get_template(path.relative_to(folder).as_posix())


@pytest.mark.parametrize(
    "template",
    [
        pytest.param("<h1>Hello</h1>", id="text"),
        pytest.param("<p>{% if x %}{{ n }} more{% endif %}</p>", id="text within a condition"),
        pytest.param('<a title="Open it" href="">{{ x }}</a>', id="title"),
        pytest.param('<a {% if x %}aria-label="Open {{ x }}"{% endif %}></a>', id="label for a screen reader"),
        pytest.param('<input placeholder="any">', id="placeholder"),
        pytest.param('<img alt="A picture">', id="alt"),
        pytest.param('<input type="submit" value="Save">', id="button"),
        pytest.param('<meta name="description" content="A reader">', id="description"),
        pytest.param("{{ n }}{{ n|pluralize }}", id="English plural"),
        pytest.param('{{ title|default:"Untitled" }}', id="default in words"),
        pytest.param('{{ day|date:"l j F Y" }}', id="date in an English order"),
        pytest.param('{% include "a.html" with words="Try again" %}', id="words given on"),
        pytest.param('{% translate "Hello" %} world', id="beside a translation"),
        pytest.param("<{{ heading }} class='a'>Hello</{{ heading }}>", id="in an element that is filled in"),
        pytest.param("<svg><title>Nothing new</title></svg>", id="in a drawing"),
    ],
)
def test_finds_text_in_templates(template: str) -> None:
    assert words_outside(template)


@pytest.mark.parametrize(
    "template",
    [
        pytest.param('<h1>{% translate "Hello" %}</h1>', id="translate"),
        pytest.param("{% blocktranslate count n=n %}{{ n }} is{% plural %}are{% endblocktranslate %}", id="block"),
        pytest.param('<a title="{% translate "Open" %}" class="big red">{{ x }} · 5</a>', id="attributes"),
        pytest.param('{% include "a/b.html" with heading="h4" field=form.name %}', id="names, not words"),
        pytest.param("{# Words #}{% comment %}Words{% endcomment %}<code>manage.py doctor</code>", id="no words"),
        pytest.param("<{{ heading }} class='row title'>{{ x }}</{{ heading }}>", id="an element that is filled in"),
        pytest.param('{{ x|default:_("Untitled") }}{{ x|date:"c" }}{{ x|yesno:"false,true" }}', id="filters"),
        pytest.param("<p>rssmanager T{{ tier }}</p>", id="names of ours"),
    ],
)
def test_ignores_translated_and_wordless_text(template: str) -> None:
    assert words_outside(template) == []


@pytest.mark.parametrize(
    "module",
    [
        pytest.param('messages.success(request, "Saved.")', id="message"),
        pytest.param('messages.success(request, f"Sent to {x}.")', id="message put together"),
        pytest.param('messages.info(request, "Sent." if x else _("Kept."))', id="one of two"),
        pytest.param('messages.info(request, _("Sent. ") + "Kept.")', id="added to a translation"),
        pytest.param('x = forms.CharField(label="Name")', id="label"),
        pytest.param('x = forms.CharField(help_text=f"Such as {y}")', id="help"),
        pytest.param('x = forms.CharField(error_messages={"required": "Say it."})', id="errors of a form"),
        pytest.param('class A(TextChoices):\n    ON = "on", "On"', id="choice"),
        pytest.param('class A(TextChoices):\n    ON = "on"', id="choice that names itself"),
        pytest.param('class A:\n    class Meta:\n        verbose_name_plural = "things"', id="name of a model"),
        pytest.param('def f():\n    raise forms.ValidationError("No.")', id="refusal"),
        pytest.param('from a.errors import Refused\ndef f():\n    raise Refused("No such time.")', id="error of ours"),
        pytest.param('def f():\n    return _(f"{n} more")', id="put together before it is translated"),
        pytest.param('from a import gettext as _\nx = _("On")', id="translated at import"),
        pytest.param('from a import gettext as translated\ndef f():\n    return translated("On")', id="a strange name"),
        pytest.param('x = tuple(map(gettext_lazy, ("one", "two")))', id="wrapped from afar"),
        pytest.param('from a import gettext\nclass A:\n    x = F(label=gettext("On"))', id="translated with the class"),
    ],
)
def test_finds_text_in_modules(module: str) -> None:
    assert words_unwrapped(module)


@pytest.mark.parametrize(
    "module",
    [
        pytest.param('messages.success(request, _("Sent to %(address)s.") % {"address": x})', id="message"),
        pytest.param('messages.success(request, ngettext("%(n)s feed", "%(n)s feeds", n) % {"n": n})', id="plural"),
        pytest.param("messages.warning(request, refusal)", id="said elsewhere"),
        pytest.param('from a import gettext_lazy as _\nclass A(TextChoices):\n    ON = "on", _("On")', id="choice"),
        pytest.param('def f():\n    raise ValueError("a fault, for who programs")', id="fault"),
        pytest.param('class A:\n    x = models.OneToOneField("self", models.CASCADE)', id="relation to a model"),
        pytest.param('class A(AppConfig):\n    label = "account"', id="label of an app"),
        pytest.param('logger.warning("No answer of %s", x)', id="log"),
        pytest.param('from a import gettext as _\ndef f():\n    return _("On")', id="translated when it is asked for"),
    ],
)
def test_ignores_translated_text_in_modules(module: str) -> None:
    assert words_unwrapped(module) == []


def test_finds_text_in_scripts() -> None:
    assert words_in_script('// Says it\nannounce("That could not be saved.");\nsay(place.dataset.words);') == [
        "That could not be saved."
    ]
