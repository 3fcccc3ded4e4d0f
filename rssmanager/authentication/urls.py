"""URLs for signing in."""

from django.urls import path

from rssmanager.authentication.views import openid, passkey, password, second_factor, setup

urlpatterns = [
    path("setup/", setup.setup, name="setup"),
    path("login/", password.SignInView.as_view(), name="login"),
    path("login/code/", second_factor.enter_code, name="second_factor"),
    path("login/passkey/", passkey.passkey_sign_in, name="passkey_sign_in"),
    path("login/passkey/options/", passkey.passkey_options, name="passkey_options"),
    path("login/openid/", openid.openid_begin, name="openid_begin"),
    path("login/openid/return/", openid.openid_return, name="openid_return"),
    path("admin/login/", password.admin_sign_in, name="admin_sign_in"),
]
