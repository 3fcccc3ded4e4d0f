"""The admin site has no pages for second factors: they would show secrets, and let administrators replace them."""

from django.contrib import admin
from django_otp.plugins.otp_totp.models import TOTPDevice

admin.site.unregister(TOTPDevice)
