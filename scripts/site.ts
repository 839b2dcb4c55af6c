/**
 * TypeDoc plugin that prepares the API reference of the site: entry points have the names that users import, and each
 * page begins with what its export is and how to import it.
 */
import { Comment, Converter, DeclarationReflection, PageEvent, ReflectionKind } from 'typedoc';
import type { Application } from 'typedoc';

/** Import name and description of each entry point, by its TypeDoc module name. */
const entryPoints: Readonly<Record<string, [name: string, description: string]>> = {
  index: ['polygate', 'The client, its errors and its types. Runs wherever `fetch` is available.'],
  chat: ['polygate/chat', 'A chat-only client for pages that must stay small.'],
  'ai-sdk': ['polygate/ai-sdk', 'A provider for AI SDK 7.'],
  bullmq: ['polygate/bullmq', 'Batches across machines, on Redis with BullMQ. Requires Node.js.'],
  doctor: [
    'polygate/doctor',
    'Checks how a service behaves, and which options to set. Also a command: `npx polygate doctor`.',
  ],
  proxy: [
    'polygate/proxy',
    'A server route through which pages use the gateway without the API key.',
  ],
  'proxy/redis': [
    'polygate/proxy/redis',
    'The limits and owners of the proxy in Redis or Valkey, for several processes.',
  ],
  'proxy/testing': [
    'polygate/proxy/testing',
    'The tests that a store of your own for the proxy has to pass.',
  ],
  journal: [
    'polygate/journal',
    'A file that records submits, for batches that survive crashes. Requires a file system.',
  ],
  node: ['polygate/node', 'Saves results to files. Requires a file system.'],
  otel: ['polygate/otel', 'Spans and metrics for OpenTelemetry.'],
  schemas: ['polygate/schemas', 'zod schemas of request bodies, records and receipts.'],
  mock: ['polygate/mock', 'The reference gateway as a `fetch` function, for tests.'],
  'mock/node': [
    'polygate/mock/node',
    'The reference gateway as an HTTP server. Requires server sockets.',
  ],
  'mock/msw': [
    'polygate/mock/msw',
    'The reference gateway as Mock Service Worker request handlers.',
  ],
};

/** Entry point of the plugin. */
export function load({ converter, renderer }: Application): void {
  converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, module) => {
    if (module.kindOf(ReflectionKind.Module)) configureEntryPoint(module);
  });
  renderer.on(PageEvent.END, (page) => {
    const { model, contents = '' } = page;
    if (model instanceof DeclarationReflection)
      page.contents = contents.replace(/^# .*\n/, (title) => title + importOf(model));
  });
}

function configureEntryPoint(module: DeclarationReflection): void {
  const [name, description] = entryPoints[module.name] ?? [];
  if (name === undefined || description === undefined)
    throw new Error(`No import name is defined for the entry point ${module.name}`);
  module.name = name;
  module.comment = new Comment([{ kind: 'text', text: description }]);
}

/** How to import an export. Classes, functions and variables also exist at run time. */
function importOf(member: DeclarationReflection): string {
  if (member.parent?.kindOf(ReflectionKind.Module) !== true) return '';
  const isValue = member.kindOf([
    ReflectionKind.Class,
    ReflectionKind.Function,
    ReflectionKind.Variable,
  ]);
  return `\n\`\`\`ts\nimport ${isValue ? '' : 'type '}{ ${member.name} } from '${member.parent.name}';\n\`\`\`\n`;
}
