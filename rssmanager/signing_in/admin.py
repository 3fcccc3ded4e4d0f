"""The admin site shows nobody's second factor: its page would show secrets, and let an administrator set another's."""

from django.contrib import admin
from django_otp.plugins.otp_totp.models import TOTPDevice

admin.site.unregister(TOTPDevice)
