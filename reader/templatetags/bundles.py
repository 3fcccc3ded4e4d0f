"""Template tag for joined style sheets and scripts."""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from reader.bundles import files_of

register = template.Library()


@register.simple_tag
def bundle(name: str) -> SafeString:
    """The elements that load a bundle: links to style sheets, or deferred scripts."""
    markup = '<link rel="stylesheet" href="{}">' if name.endswith(".css") else '<script defer src="{}"></script>'
    return format_html_join("\n  ", markup, ((static(file),) for file in files_of(name)))
