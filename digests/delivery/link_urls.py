"""URLs of the links and pictures in emails; no sign-in needed. Included by `digests.urls`."""

from django.urls import path

from digests.views import links

urlpatterns = [
    path("mail/act/<str:token>/", links.mail_act, name="mail_act"),
    path("mail/picture/<str:token>/", links.mail_picture, name="mail_picture"),
    path("mail/unsubscribe/<str:token>/", links.mail_unsubscribe, name="mail_unsubscribe"),
]
