FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY lib lib
COPY plugins plugins
RUN npx tsc

FROM node:20-slim AS modules
WORKDIR /app
COPY package.json package-lock.json ./
# Fastify is a peer of the plugin and a development dependency of this repository. Without the second
# entry npm counts it as a peer alone and installs it, in the version of the lock file.
RUN npm pkg delete devDependencies.fastify && npm install --omit=dev --no-audit --no-fund

FROM node:20-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
USER node
EXPOSE 8080
ENTRYPOINT ["node", "dist/lib/cli/main.js"]
# In a container 127.0.0.1 is reached from nowhere: give --host 0.0.0.0 with --upstream URL too.
CMD ["demo", "--host", "0.0.0.0"]
