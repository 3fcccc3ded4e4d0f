"""URLs of the APIs. Apps add `accounts/…` and `reader/…` to the address they were given, which may be the site's."""

from django.urls import include, path

from rssmanager.api.fever import fever
from rssmanager.api.google_reader import google_reader
from rssmanager.api.icons import app_icon

urlpatterns = [
    path("api/v1/", include("rssmanager.api.v1.urls")),
    path("api/fever.php", fever, name="fever"),
    path("api/fever.php/", fever, name="fever_slash"),
    path("api/fever", fever, name="fever_short"),
    path("api/fever/", fever, name="fever_short_slash"),
    path("api/icons/<slug:digest>/<str:signature>", app_icon, name="app_icon"),
    path("api/greader.php", google_reader, name="google_reader"),
    path("api/greader", google_reader, name="google_reader_short"),
    path("api/greader.php/<path:call>", google_reader, name="google_reader_call"),
    path("api/greader/<path:call>", google_reader, name="google_reader_short_call"),
    path("api/greader.php/", google_reader, name="google_reader_slash"),
    path("accounts/ClientLogin", google_reader, {"call": "accounts/ClientLogin"}, name="google_reader_sign_in"),
    path("reader/<path:call>", google_reader, name="google_reader_site_call"),
]
