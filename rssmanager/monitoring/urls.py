"""URLs in the admin, for staff only."""

from django.contrib import admin
from django.urls import path

from rssmanager.monitoring import views

urlpatterns = [
    path("admin/operations/", admin.site.admin_view(views.operations), name="operations"),
    path("admin/operations/run/<str:pk>/", admin.site.admin_view(views.run_again), name="operations_run"),
]
