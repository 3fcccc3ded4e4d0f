"""Removes the task queue's admin pages, which could queue any function. The operations page replaces them."""

from django.apps import apps
from django.contrib import admin
from django_q import admin as queue_admin  # noqa: F401 - registers them now rather than later

for model in apps.get_app_config("django_q").get_models():
    if admin.site.is_registered(model):
        admin.site.unregister(model)
