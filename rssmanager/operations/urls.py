"""URLs of the operations page, for staff only."""

from django.contrib import admin
from django.urls import path
from django.views.generic import RedirectView

from rssmanager.operations import views

urlpatterns = [
    path("settings/operations/", views.operations, name="operations"),
    path("settings/operations/run/<str:pk>/", views.run_again, name="operations_run"),
    path(
        "admin/operations/",
        admin.site.admin_view(RedirectView.as_view(pattern_name="operations")),
        name="operations_in_admin",  # where it was
    ),
]
