"""Having an import run that somebody just asked for."""

from django.contrib import messages
from django.utils.translation import gettext as _

from feeds.calling import call_worker
from reader.models import Import
from reader.views.signed_in import SignedInRequest


def run_soon(request: SignedInRequest, job: Import) -> None:
    """Call a worker for it; where none can be called, say that it takes longer."""
    if not call_worker("reader.tasks.run_import", job.pk):
        messages.warning(request, _("No worker can be called just now. What you asked is kept, and done soon after."))
