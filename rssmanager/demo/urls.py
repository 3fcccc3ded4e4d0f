"""URLs of the sample feeds."""

from django.urls import path

from rssmanager.demo import views

urlpatterns = [
    path("samples/", views.samples, name="samples"),
    path("samples/leave/", views.samples_leave, name="samples_leave"),
    path("samples/<slug:key>/<path:path>", views.sample_medium, name="sample_medium"),
]
