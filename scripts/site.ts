/**
 * Makes one site of the guides and the API reference, as a plugin of typedoc: the guides in the order and under the
 * titles of docs/README.md, the entry points under the names by which users import them.
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

/** What users import, and what for; by the names that typedoc gives. */
const entryPoints: Readonly<Record<string, [name: string, about: string]>> = {
  index: ['polygate', 'The client, its errors and its types. It runs wherever `fetch` does.'],
  chat: ['polygate/chat', 'The client for chat alone, for pages that must stay small.'],
  proxy: [
    'polygate/proxy',
    'A route of your server through which pages use the gateway without the key.',
  ],
  journal: [
    'polygate/journal',
    'A file that remembers what was submitted, for batches that survive crashes. Node only.',
  ],
  mock: ['polygate/mock', 'The reference gateway as a `fetch` function, for tests.'],
  'mock/node': ['polygate/mock/node', 'The reference gateway on a port. Node only.'],
  'mock/msw': [
    'polygate/mock/msw',
    'The reference gateway as request handlers of Mock Service Worker.',
  ],
};

const pages = new WeakMap<Reflection, string>();

/** Guides have addresses that do not change with their titles. */
class GuideRouter extends KindRouter {
  protected override getIdealBaseName(reflection: Reflection): string {
    return pages.get(reflection) ?? super.getIdealBaseName(reflection);
  }
}

/** Called by typedoc. */
export function load(app: Application): void {
  const { converter, renderer, options } = app;
  renderer.defineRouter('guides', GuideRouter);
  renderer.hooks.on('body.begin', () => script(openSections));
  app.on('bootstrapEnd', () => {
    options.setValue(
      'projectDocuments',
      guides.map(({ file }) => file),
    );
  });
  renderer.on(RendererEvent.END, ({ outputDirectory }) => {
    writeFileSync(`${outputDirectory}/llms-full.txt`, everyGuide());
  });
  converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, page) => place(page));
  converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, module) => {
    if (module.kindOf(ReflectionKind.Module)) rename(module);
  });
  converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    // A list of guides is a list of cards, which need no colon.
    for (const part of project.readme ?? []) part.text = part.text.replaceAll(/\): /g, ')<br>');
    const guidePages = project.getReflectionsByKind(ReflectionKind.Document);
    for (const page of guidePages) if (page.isDocument()) linkNames(page);
  });
}

function place(page: DocumentReflection): void {
  const path = page.project.files.getReflectionPath(page);
  const guide = guides.find(({ file }) => file === path);
  if (guide === undefined) throw new Error(`docs/README.md does not list ${path}`);
  page.name = guide.title;
  page.frontmatter['category'] = guide.section;
  pages.set(page, `guides/${guide.name}`);
}

function rename(module: DeclarationReflection): void {
  const [name, about] = entryPoints[module.name] ?? [];
  if (name === undefined || about === undefined) throw new Error(`${module.name} has no name`);
  module.name = name;
  module.comment = new Comment([{ kind: 'text', text: about }]);
}

/** The name of something that users import leads to its page, unless it is a link already. */
function linkNames(page: DocumentReflection): void {
  const [client] = page.project.children ?? [];
  page.content = page.content.map((part, index) => {
    const [, name = ''] = /^`([A-Z]\w+)`$/.exec(part.text) ?? [];
    const target = part.kind === 'code' ? client?.getChildByName([name]) : undefined;
    const linked = page.content[index - 1]?.text.endsWith('[') === true;
    if (target === undefined || linked) return part;
    return { kind: 'inline-tag', tag: '@linkcode', text: name, target };
  });
}

/** All that there is to read, for a language model; the table of tests is of no use to it. */
function everyGuide(): string {
  const texts = guides
    .filter(({ name }) => name !== 'coverage')
    .map(({ file }) => readFileSync(file, 'utf8').replaceAll(/^<!--.*?-->\n+/gms, ''));
  return texts.join('\n');
}

/** The guides are listed openly; what readers open or close later is remembered. */
const openSections = `for (const section of ${JSON.stringify([...new Set(guides.map(({ section }) => section))])}) {
  const key = 'tsd-accordion-' + section;
  try { localStorage[key] ??= 'true' } catch {}
}`;

function script(code: string) {
  return JSX.createElement('script', null, JSX.createElement(JSX.Raw, { html: code }));
}
