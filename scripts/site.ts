/**
 * TypeDoc plugin that combines the guides and the API reference into one site. Guides appear in the order and with the
 * titles of docs/README.md, entry points with the names that users import.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Comment, Converter, JSX, KindRouter, ReflectionKind, RendererEvent } from 'typedoc';
import type { Application, DeclarationReflection, DocumentReflection, Reflection } from 'typedoc';

import { contents } from './contents.ts';

const guides = contents().map((entry) => ({
  ...entry,
  file: fileURLToPath(new URL(`../${entry.path}`, import.meta.url)),
  name: entry.path.replace(/^docs\/|\/README|\.md$/gi, '').toLowerCase(),
}));

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
  journal: [
    'polygate/journal',
    'A file that records submits, for batches that survive crashes. Requires a file system.',
  ],
  node: ['polygate/node', 'Saves results to files. Requires a file system.'],
  otel: ['polygate/otel', 'Spans and metrics for OpenTelemetry.'],
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

const pages = new WeakMap<Reflection, string>();

/** Gives guides URLs that do not depend on their titles. */
class GuideRouter extends KindRouter {
  protected override getIdealBaseName(reflection: Reflection): string {
    return pages.get(reflection) ?? super.getIdealBaseName(reflection);
  }
}

/** Entry point of the plugin. */
export function load(app: Application): void {
  const { converter, renderer, options } = app;
  renderer.defineRouter('guides', GuideRouter);
  renderer.hooks.on('body.begin', () => script(expandSections));
  app.on('bootstrapEnd', () => {
    options.setValue(
      'projectDocuments',
      guides.map(({ file }) => file),
    );
  });
  renderer.on(RendererEvent.END, ({ outputDirectory }) => {
    writeFileSync(`${outputDirectory}/llms-full.txt`, allGuides());
  });
  converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, page) => configureGuide(page));
  converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, module) => {
    if (module.kindOf(ReflectionKind.Module)) configureEntryPoint(module);
  });
  converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    // The style sheet shows the list of guides as cards, which need no colon.
    for (const part of project.readme ?? []) part.text = part.text.replaceAll(/\): /g, ')<br>');
    const guidePages = project.getReflectionsByKind(ReflectionKind.Document);
    for (const page of guidePages) if (page.isDocument()) linkTypeNames(page);
  });
}

function configureGuide(page: DocumentReflection): void {
  const path = page.project.files.getReflectionPath(page);
  const guide = guides.find(({ file }) => file === path);
  if (guide === undefined) throw new Error(`docs/README.md does not list ${path}`);
  page.name = guide.title;
  page.frontmatter['category'] = guide.section;
  pages.set(page, `guides/${guide.name}`);
}

function configureEntryPoint(module: DeclarationReflection): void {
  const [name, description] = entryPoints[module.name] ?? [];
  if (name === undefined || description === undefined)
    throw new Error(`No import name is defined for the entry point ${module.name}`);
  module.name = name;
  module.comment = new Comment([{ kind: 'text', text: description }]);
}

/** Links inline code that names an export to its page, unless it is already part of a link. */
function linkTypeNames(page: DocumentReflection): void {
  const [client] = page.project.children ?? [];
  page.content = page.content.map((part, index) => {
    const [, name = ''] = /^`([A-Z]\w+)`$/.exec(part.text) ?? [];
    const target = part.kind === 'code' ? client?.getChildByName([name]) : undefined;
    const linked = page.content[index - 1]?.text.endsWith('[') === true;
    if (target === undefined || linked) return part;
    return { kind: 'inline-tag', tag: '@linkcode', text: name, target };
  });
}

/** All guides in one text for language models, without the test coverage table. */
function allGuides(): string {
  const texts = guides
    .filter(({ name }) => name !== 'coverage')
    .map(({ file }) => readFileSync(file, 'utf8').replaceAll(/^<!--.*?-->\n+/gms, ''));
  return texts.join('\n');
}

/** Script that expands all sections of the navigation by default. TypeDoc stores later changes. */
const expandSections = `for (const section of ${JSON.stringify([...new Set(guides.map(({ section }) => section))])}) {
  const key = 'tsd-accordion-' + section;
  try { localStorage[key] ??= 'true' } catch {}
}`;

function script(code: string) {
  return JSX.createElement('script', null, JSX.createElement(JSX.Raw, { html: code }));
}
