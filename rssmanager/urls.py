"""All URLs of the site."""

from django.contrib import admin
from django.urls import include, path
from django.utils.translation import gettext_lazy

admin.site.site_title = "RSS Manager"
admin.site.site_header = gettext_lazy("RSS Manager administration")

urlpatterns = [
    path("", include("rssmanager.authentication.urls")),
    path("", include("rssmanager.operations.urls")),  # before the admin, which answers 404 for unknown pages
    path("", include("rssmanager.accounts.urls")),  # before the admin, to replace its password form
    path("", include("rssmanager.api.urls")),
    path("admin/", admin.site.urls),
    path("", include("rssmanager.demo.urls")),
    path("", include("digests.urls")),
    path("", include("reader.urls")),
]

handler400 = "rssmanager.middleware.error_pages.bad_request"
handler500 = "rssmanager.middleware.error_pages.server_error"
