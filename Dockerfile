# A local Avalanche network as a container: docker build -t firn . && docker run --rm -p 9650:9650 firn
FROM node:24-slim AS build
WORKDIR /firn
COPY package.json package-lock.json ./
# every binary is inside its package: no install script is needed
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY explorer explorer
COPY bin bin
COPY scripts/bundle.js scripts/
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /firn
COPY --from=build /firn/package.json ./
COPY --from=build /firn/node_modules node_modules
COPY --from=build /firn/dist dist
COPY --from=build /firn/bin bin
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
# Other containers reach it by the name that they know it by, which has no dot, or as host.docker.internal. Nobody can have such names in the
# public DNS, so no web page can make a browser take this server for its own
ENV FIRN_DATA_DIR=/data FIRN_HTTP_HOST=0.0.0.0 FIRN_HTTP_ALLOWED_HOSTS=localhost,single-label,*.internal
EXPOSE 9650
HEALTHCHECK --interval=5s --timeout=3s --start-period=15s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.FIRN_HTTP_PORT ?? 9650) + '/ext/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/firn/bin/firn"]
CMD ["devnet"]
