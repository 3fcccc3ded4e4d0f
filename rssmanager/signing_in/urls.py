"""Addresses of signing in."""

from django.urls import path

from rssmanager.signing_in.views import openid, password, second_factor

urlpatterns = [
    path("login/", password.SignInView.as_view(), name="login"),
    path("login/code/", second_factor.ask_code, name="second_factor"),
    path("login/openid/", openid.openid_begin, name="openid_begin"),
    path("login/openid/return/", openid.openid_return, name="openid_return"),
    path("admin/login/", password.admin_sign_in, name="admin_sign_in"),
]
