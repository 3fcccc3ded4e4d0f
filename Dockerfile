# Wheels come from the lock, checked by their hashes, into an environment that the second stage takes over whole:
# no pip cache, no build tools, nothing but the folders below.
FROM python:3.11-slim-trixie AS build
COPY requirements.lock .
RUN python -m venv --without-pip /venv && \
    pip --python /venv/bin/python install --no-cache-dir --disable-pip-version-check --root-user-action ignore \
    --require-hashes --no-deps -r requirements.lock

FROM python:3.11-slim-trixie
LABEL org.opencontainers.image.title="rssmanager" \
      org.opencontainers.image.description="A feed reader for your own machine"
# pg_dump and psql, for `backup` and `restore`, must not be older than the server in compose.yaml. tini is process 1: it
# passes signals on and takes care of processes whose parent is gone.
RUN apt-get update && \
    apt-get install --yes --no-install-recommends postgresql-client-17 tini && \
    rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 1000 reader && \
    useradd --uid 1000 --gid 1000 --no-create-home --home-dir /data --shell /usr/sbin/nologin reader && \
    install --directory --owner reader --group reader --mode 0700 /data
# The root file system may be read-only: what is written goes to /data, and large requests for a moment to /tmp. One
# malloc arena for all threads, or freed memory stays with the process.
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DATA_DIR=/data MALLOC_ARENA_MAX=1
WORKDIR /app
COPY --from=build /venv /venv
COPY manage.py ./
COPY feeds feeds
COPY reader reader
COPY digests digests
COPY rssmanager rssmanager
COPY templates templates
COPY static static
RUN python -m compileall -q .
USER 1000:1000
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=2m \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
ENTRYPOINT ["tini", "--"]
CMD ["python", "manage.py", "run", "--host", "0.0.0.0"]
