"""URLs of data and account settings."""

from django.urls import path
from django.views.generic import RedirectView

from rssmanager.accounts.views import (
    account,
    app_passwords,
    confirm,
    data,
    oidc_link,
    password_reset,
    second_factor,
    sessions,
    undo,
    users,
)

urlpatterns = [
    path("settings/data/", data.data, name="data"),
    path("settings/data/export/", data.data_export, name="data_export"),
    path("settings/data/imports/<int:pk>/", data.data_import, name="data_import"),
    path("settings/data/imports/<int:pk>/confirm/", data.data_import_confirm, name="data_import_confirm"),
    path("settings/account/", account.account, name="account"),
    path("settings/account/confirm/", confirm.confirm, name="confirm"),
    path("settings/account/second-factor/", second_factor.second_factor_settings, name="second_factor_settings"),
    path(
        "settings/account/second-factor/passkey/",
        second_factor.passkey_creation_options,
        name="passkey_creation_options",
    ),
    path("settings/account/apps/", app_passwords.app_passwords, name="app_passwords"),
    path("settings/account/apps/settings/", app_passwords.app_settings, name="app_settings"),
    path("settings/account/apps/<int:pk>/revoke/", app_passwords.app_password_revoke, name="app_password_revoke"),
    path("settings/account/sessions/<slug:key>/end/", sessions.session_end, name="session_end"),
    path("settings/account/provider/connect/", oidc_link.provider_connect, name="provider_connect"),
    path("settings/account/provider/disconnect/", oidc_link.provider_disconnect, name="provider_disconnect"),
    path("settings/account/delete/", account.account_delete, name="account_delete"),
    path("settings/users/", users.users, name="users"),
    path("settings/users/new/", users.user_new, name="user_new"),
    path("settings/users/<int:pk>/", users.user, name="user"),
    path("settings/users/<int:pk>/delete/", users.user_delete, name="user_delete"),
    path("account/undo/<str:token>/", undo.undo, name="undo"),
    path("admin/password_change/", RedirectView.as_view(pattern_name="account"), name="admin_password_change"),
    path("forgotten/", password_reset.ForgottenView.as_view(), name="forgotten"),
    path("forgotten/sent/", password_reset.forgotten_sent, name="forgotten_sent"),
    path("forgotten/<uidb64>/<token>/", password_reset.NewPasswordView.as_view(), name="forgotten_new"),
]
