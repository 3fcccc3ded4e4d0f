"""The language model set up from the settings: what a task calls."""

from datetime import datetime

from django.conf import settings

from reader.language_judging import AskingReport, ask_waiting
from reader.language_model import LanguageModel, Server


def ask_configured(*, until: datetime) -> AskingReport | None:
    """Ask the model of the settings about what waits, nothing new after `until`; None when none is configured."""
    env = settings.ENV
    if not env.LLM_BASE_URL:
        return None
    server = Server(env.LLM_BASE_URL, model=env.LLM_MODEL, key=env.LLM_API_KEY, seconds=env.LLM_TIMEOUT)
    model = LanguageModel(server, user_agent=settings.USER_AGENT)
    try:
        return ask_waiting(model, until=until, limit_per_minute=env.LLM_RATE)
    finally:
        model.close()
