/**
 * What each folder of `src` may import besides itself: folders and files of `src`, and packages. A file that is listed
 * may import what its folder may, and more. `oxlint.config.ts` makes lint rules of it.
 */
const base = ['wire/types', 'wire/endpoints', 'errors', 'paid'];

/** The layers of `client`, lowest first. Each may import those before it. */
const client = ['config', 'limits', 'http', 'call', 'stream', 'chat', 'tasks', 'batch'];

const clientUpTo = (name: string) =>
  client.slice(0, client.indexOf(name)).map((layer) => `client/${layer}`);

const clientLayers = Object.fromEntries(
  client.map((name) => [`client/${name}`, [...base, ...clientUpTo(name)]]),
);

export const layers: Readonly<Record<string, readonly string[]>> = {
  'wire/types': [],
  // Their types are those of the package, so that the fields that users add to an interface are theirs, too.
  'wire/schemas': ['wire/types', 'polygate', 'zod/mini'],
  'wire/endpoints': ['wire/types'],
  errors: ['wire/types'],
  // Values in, values out: no clock, no storage, no `fetch`.
  paid: ['wire/types'],
  ...clientLayers,
  'client/config/options.ts': ['ky'],
  'client/http/ky-transport.ts': ['ky'],
  'client/stream/event-decoder.ts': ['eventsource-parser'],
  'client/fetch': [...base, ...clientUpTo('stream'), 'client/stream'],
  resources: [...base, 'client'],
  'base-client.ts': [...base, 'client', 'resources'],
  'client.ts': [...base, 'client', 'resources', 'base-client.ts'],
  'chat-client.ts': [...base, 'client', 'resources', 'base-client.ts'],
  'index.ts': [...base, 'client', 'resources', 'base-client.ts', 'client.ts'],
  'chat.ts': [...base, 'client', 'resources', 'chat-client.ts', 'index.ts'],
  'all.ts': ['client'],
  'internal.ts': [...base, 'client', 'client.ts'],
  'integrations/journal': [
    'wire/types',
    'errors/base.ts',
    'integrations/node/final-path.ts',
    'node:fs/promises',
    'node:os',
    'node:path',
  ],
  'integrations/node': [
    'errors/base.ts',
    'integrations/journal/lock-file.ts',
    'integrations/proxy/store/memory-store.ts',
    'integrations/proxy/store/store.ts',
    'wire/types/type-guards.ts',
    'wire/types/nearest-name.ts',
    'wire/types/schema.ts',
    'internal.ts',
    'polygate',
    'node:*',
    'node:*/**',
  ],
  'integrations/node/fetch': [
    'wire/types/nearest-name.ts',
    'wire/types/schema.ts',
    'wire/types/type-guards.ts',
    'internal.ts',
    'polygate',
    'undici',
    'node:*',
  ],
  // The proxy runs where the API key is. It imports nothing but a few rules, so that it can be reviewed on its own.
  'integrations/proxy': [
    'internal.ts',
    'paid',
    'wire/endpoints',
    'wire/types/nearest-name.ts',
    'wire/types/type-guards.ts',
    'wire/types/redact-key.ts',
    'wire/types/schema.ts',
    'errors/base.ts',
  ],
  'integrations/ai-sdk': [
    'client.ts',
    'errors',
    'wire/types',
    'internal.ts',
    'polygate',
    '@ai-sdk/provider',
    '@ai-sdk/openai-compatible',
  ],
  // Pages have the client already, so only its types are imported, and that of a response of the proxy. The store knows
  // nothing of React.
  'integrations/react': [
    'wire/types/schema.ts',
    'wire/types/type-guards.ts',
    'polygate',
    'polygate/proxy',
    'react',
  ],
  'integrations/react/store': [
    'wire/types/schema.ts',
    'wire/types/tasks/task.ts',
    'wire/types/type-guards.ts',
    'polygate',
    'polygate/proxy',
  ],
  'integrations/otel': [
    'wire/endpoints',
    'internal.ts',
    'wire/types/media/materials.ts',
    'wire/types/type-guards.ts',
    'wire/types/schema.ts',
    'polygate',
    '@opentelemetry/api',
  ],
  'integrations/bullmq': [
    'errors',
    'paid',
    'internal.ts',
    'wire/types',
    'polygate',
    'bullmq',
    'ioredis',
    'node:crypto',
  ],
  'tools/money.ts': [],
  'tools/doctor': [
    'tools/money.ts',
    'paid',
    'wire/endpoints',
    'internal.ts',
    'wire/types/type-guards.ts',
    'wire/types/redact-key.ts',
    'wire/types/tasks/task.ts',
    'polygate',
  ],
  // Runs checks without knowing any.
  'tools/doctor/run': [
    'tools/doctor/diagnosis.ts',
    'tools/doctor/spending.ts',
    'tools/doctor/text.ts',
    'tools/money.ts',
    'internal.ts',
    'polygate',
  ],
  // A part of the command line: the state folder, saved files and texts about money are those of the commands.
  'tools/mcp': [
    'tools/cli',
    'paid',
    'tools/money.ts',
    'internal.ts',
    'integrations/node/final-path.ts',
    'wire/schemas',
    'wire/types',
    'polygate',
    'polygate/node',
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/stdio',
    'sharp',
    'zod/mini',
    'node:*',
    'node:*/**',
  ],
  'tools/cli': [
    'tools/mcp/serve.ts',
    'paid',
    'tools/money.ts',
    'mock',
    'wire/types',
    'wire/schemas',
    'internal.ts',
    'integrations/node/final-path.ts',
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
    'wire/types',
    'wire/schemas',
    'errors/base.ts',
    'fflate/browser',
    'hono',
    'hono/**',
    'zod/mini',
  ],
  'mock/msw.ts': ['msw', 'msw/**'],
  'mock/node': [
    'mock',
    'integrations/node/final-path.ts',
    'wire/types',
    'wire/schemas',
    'errors/base.ts',
    'hono',
    'hono/**',
    'zod/mini',
    'node:*',
    'node:*/**',
  ],
};
