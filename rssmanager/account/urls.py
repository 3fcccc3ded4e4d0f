"""Addresses of one's own data and account."""

from django.urls import path

from rssmanager.account.views import account, data, forgotten, provider, second_factor, sessions

urlpatterns = [
    path("settings/data/", data.data, name="data"),
    path("settings/data/export/", data.data_export, name="data_export"),
    path("settings/data/imports/<int:pk>/", data.data_import, name="data_import"),
    path("settings/data/imports/<int:pk>/confirm/", data.data_import_confirm, name="data_import_confirm"),
    path("settings/account/", account.account, name="account"),
    path("settings/account/second-factor/", second_factor.second_factor_settings, name="second_factor_settings"),
    path("settings/account/sessions/<slug:key>/end/", sessions.session_end, name="session_end"),
    path("settings/account/provider/connect/", provider.provider_connect, name="provider_connect"),
    path("settings/account/provider/disconnect/", provider.provider_disconnect, name="provider_disconnect"),
    path("settings/account/delete/", account.account_delete, name="account_delete"),
    path("forgotten/", forgotten.ForgottenView.as_view(), name="forgotten"),
    path("forgotten/sent/", forgotten.forgotten_sent, name="forgotten_sent"),
    path("forgotten/<uidb64>/<token>/", forgotten.NewPasswordView.as_view(), name="forgotten_new"),
]
