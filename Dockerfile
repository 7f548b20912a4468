# The neardup image: docker build -t neardup .
#
# It holds a Debian without anything but the package that `./dev package` makes, and the libraries that package names.
# Neither a shell nor a user of the image is needed to run it, and nothing is written: the root may be read-only.
#
#   docker run --rm neardup version
#   docker run --rm -v "$PWD:/data:ro" neardup scan /data
#   docker run -v "$PWD/neardup.yaml:/etc/neardup/neardup.yaml:ro" neardup        serves
#
# It has no HEALTHCHECK: there is no client in it to ask with, and whoever runs it in earnest asks /livez and /readyz.
#
# Behind a proxy that signs TLS with its own authority: docker build --secret id=ca,src=ca.crt

FROM debian:bookworm-slim AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
WORKDIR /src
# First what seldom changes, so that a change of the sources does not fetch it again.
COPY dev ./
COPY tests tests
RUN --mount=type=secret,id=ca,target=/run/secrets/ca.crt --mount=type=cache,target=/root/.cache/ccache \
    NODE_EXTRA_CA_CERTS=/run/secrets/ca.crt ./dev deps --build-only && rm -rf /var/lib/apt/lists/*
COPY . .
ARG NEARDUP_REVISION=unknown
RUN --mount=type=cache,target=/root/.cache/ccache \
    cmake --preset release -DBUILD_TESTING=OFF -DNEARDUP_REVISION="$NEARDUP_REVISION" && \
    cmake --build --preset release && \
    cpack --config build/release/CPackConfig.cmake

FROM debian:bookworm-slim
RUN --mount=type=bind,from=build,source=/src/build/release/package,target=/package \
    apt-get update && \
    apt-get install -y --no-install-recommends /package/*.deb && \
    rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*
ARG NEARDUP_REVISION=unknown
LABEL org.opencontainers.image.title="neardup" \
      org.opencontainers.image.description="Near-duplicate detection on Kafka, exactly once" \
      org.opencontainers.image.revision="$NEARDUP_REVISION"
USER 10001:10001
EXPOSE 9301
ENTRYPOINT ["neardup"]
CMD ["serve", "-c", "/etc/neardup/neardup.yaml"]
