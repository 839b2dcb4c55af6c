/**
 * For `node --import`: resolves the package's own name to its sources, as in the tests, so that programs run without
 * a build.
 */
import { enableCompileCache, registerHooks } from 'node:module';

enableCompileCache();

const sources = new Map([
  ['polygate', '../src/index.ts'],
  ['polygate/chat', '../src/chat.ts'],
  ['polygate/doctor', '../src/tools/doctor/index.ts'],
  ['polygate/ai-sdk', '../src/integrations/ai-sdk/index.ts'],
  ['polygate/bullmq', '../src/integrations/bullmq/index.ts'],
  ['polygate/proxy', '../src/integrations/proxy/index.ts'],
  ['polygate/proxy/redis', '../src/integrations/proxy/redis/index.ts'],
  ['polygate/proxy/testing', '../src/integrations/proxy/testing/index.ts'],
  ['polygate/journal', '../src/integrations/journal/index.ts'],
  ['polygate/node', '../src/integrations/node/index.ts'],
  ['polygate/otel', '../src/integrations/otel/index.ts'],
  ['polygate/schemas', '../src/wire/schemas/index.ts'],
  ['polygate/mock', '../src/mock/index.ts'],
  ['polygate/mock/node', '../src/mock/node/index.ts'],
]);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const source = sources.get(specifier);
    return nextResolve(source === undefined ? specifier : import.meta.resolve(source), context);
  },
});
