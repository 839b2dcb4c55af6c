/**
 * What each folder of `src` may import besides itself: folders and files of `src`, and packages. A file that is listed
 * may import what its folder may, and more. `oxlint.config.ts` makes lint rules of it.
 */
const base = ['types', 'endpoints', 'errors'];

/** The layers of `core`, lowest first. Each may import those before it. */
const core = ['config', 'limits', 'http', 'call', 'stream', 'chat', 'tasks', 'batch'];

const coreUpTo = (name: string) =>
  core.slice(0, core.indexOf(name)).map((layer) => `core/${layer}`);

const coreLayers = Object.fromEntries(
  core.map((name) => [`core/${name}`, [...base, ...coreUpTo(name)]]),
);

export const layers: Readonly<Record<string, readonly string[]>> = {
  types: [],
  // Their types are those of the package, so that the fields that users add to an interface are theirs, too.
  schemas: ['types', 'polygate', 'zod/mini'],
  endpoints: ['types'],
  errors: ['types'],
  ...coreLayers,
  'core/config/options.ts': ['ky'],
  'core/http/ky-transport.ts': ['ky'],
  'core/stream/event-decoder.ts': ['eventsource-parser'],
  'core/fetch': [...base, ...coreUpTo('stream'), 'core/stream'],
  resources: [...base, 'core'],
  'base-client.ts': [...base, 'core', 'resources'],
  'client.ts': [...base, 'core', 'resources', 'base-client.ts'],
  'chat-client.ts': [...base, 'core', 'resources', 'base-client.ts'],
  'index.ts': [...base, 'core', 'resources', 'base-client.ts', 'client.ts'],
  'chat.ts': [...base, 'core', 'resources', 'chat-client.ts', 'index.ts'],
  'all.ts': ['core'],
  internal: [...base, 'core', 'resources', 'client.ts'],
  journal: ['types', 'errors/configuration.ts', 'node:fs/promises', 'node:os', 'node:path'],
  node: [
    'types/nearest-name.ts',
    'types/schema.ts',
    'internal/download-retries.ts',
    'polygate',
    'node:*',
    'node:*/**',
  ],
  'node/fetch': [
    'types/nearest-name.ts',
    'types/schema.ts',
    'types/type-guards.ts',
    'internal/direct-response.ts',
    'polygate',
    'undici',
    'node:*',
  ],
  // The proxy runs where the API key is. It imports nothing but a few small files, so that it can be reviewed on its own.
  proxy: [
    'internal/error-advice.ts',
    'internal/network.ts',
    'internal/outcome.ts',
    'internal/request-price.ts',
    'internal/response-meta.ts',
    'internal/validation.ts',
    'endpoints',
    'types/nearest-name.ts',
    'types/parse-url.ts',
    'types/schema.ts',
    'types/type-guards.ts',
    'errors/base.ts',
    'errors/configuration.ts',
  ],
  'ai-sdk': [
    'client.ts',
    'errors',
    'types',
    'internal',
    'polygate',
    '@ai-sdk/provider',
    '@ai-sdk/openai-compatible',
  ],
  // Pages have the client already, so only its types are imported. The store knows nothing of React.
  react: ['types/schema.ts', 'types/type-guards.ts', 'polygate', 'react'],
  'react/store': [
    'types/schema.ts',
    'types/tasks/expired-url.ts',
    'types/type-guards.ts',
    'polygate',
  ],
  otel: [
    'endpoints',
    'internal/validation.ts',
    'internal/version.ts',
    'types/media/material-status.ts',
    'types/parse-url.ts',
    'types/schema.ts',
    'types/type-guards.ts',
    'polygate',
    '@opentelemetry/api',
  ],
  bullmq: ['errors', 'internal', 'types', 'polygate', 'bullmq', 'ioredis', 'node:crypto'],
  doctor: [
    'endpoints',
    'internal',
    'types/parse-url.ts',
    'types/tasks/task-status.ts',
    'types/type-guards.ts',
    'polygate',
  ],
  // Runs checks without knowing any.
  'doctor/run': [
    'doctor/diagnosis.ts',
    'doctor/spending.ts',
    'doctor/text.ts',
    'internal/error-advice.ts',
    'polygate',
  ],
  // A part of the command line: the state folder, saved files and texts about money are those of the commands.
  mcp: [
    'cli',
    'internal/budget.ts',
    'internal/charges.ts',
    'internal/outcome.ts',
    'internal/request-price.ts',
    'internal/version.ts',
    'schemas',
    'types',
    'polygate',
    'polygate/node',
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/stdio',
    'sharp',
    'zod/mini',
    'node:*',
    'node:*/**',
  ],
  cli: [
    'mcp/serve.ts',
    'mock',
    'types',
    'schemas',
    'internal/budget.ts',
    'internal/content-text.ts',
    'internal/downloads.ts',
    'internal/charges.ts',
    'internal/error-advice.ts',
    'internal/journal.ts',
    'internal/listed-prices.ts',
    'internal/version.ts',
    'polygate',
    'polygate/doctor',
    'polygate/journal',
    'polygate/node',
    'csv-parse/**',
    'yocto-spinner',
    'zod/mini',
    'node:*',
    'node:*/**',
  ],
  // The mock is an independent implementation of the specification, so it shares only types and schemas.
  mock: [
    'types',
    'schemas',
    'errors/configuration.ts',
    'fflate/browser',
    'hono',
    'hono/**',
    'zod/mini',
  ],
  'mock/msw.ts': ['msw', 'msw/**'],
  'mock/node': [
    'mock',
    'types',
    'schemas',
    'errors/configuration.ts',
    'hono',
    'hono/**',
    'zod/mini',
    'node:*',
    'node:*/**',
  ],
};
