# The rating service. Build it with `docker build --tag prowess .`; compose.yaml and deploy/ show how to run it.
FROM python:3.14-slim AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY LICENSE MANIFEST.in README.md pyproject.toml setup.py ./
COPY examples examples
COPY src src
ENV PROWESS_REQUIRE_COMPILED=1 PROWESS_VARIANTS=all
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels . \
    && python -m venv /opt/prowess \
    && /opt/prowess/bin/python -m pip install --no-cache-dir --find-links /wheels "prowess[service]"

FROM python:3.14-slim
RUN useradd --system --uid 10001 --user-group --home-dir /var/lib/prowess --shell /usr/sbin/nologin prowess \
    && install --directory --owner=prowess --group=prowess --mode=0700 /var/lib/prowess
COPY --from=build /opt/prowess /opt/prowess
# Everything that the service keeps is in the volume, so the rest of the file system can be read-only.
ENV PATH=/opt/prowess/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PROWESS_DATABASE=sqlite:////var/lib/prowess/leagues.db \
    PROWESS_HOST=0.0.0.0 \
    PROWESS_PORT=8000
USER 10001:10001
WORKDIR /var/lib/prowess
VOLUME /var/lib/prowess
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen(f'http://127.0.0.1:{os.environ[\"PROWESS_PORT\"]}/healthz', timeout=4)"]
ENTRYPOINT ["prowess"]
CMD ["serve"]
