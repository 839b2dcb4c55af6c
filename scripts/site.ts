/**
 * Makes one site of the guides and the API reference, as a plugin of typedoc: the guides in the order and under the
 * titles of docs/README.md, the entry points under the names by which users import them.
 */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Comment, Converter, KindRouter, ReflectionKind } from 'typedoc';
import type { Application, Context, DeclarationReflection, DocumentReflection } from 'typedoc';
import type { Reflection } from 'typedoc';

import { contents } from './contents.ts';

const guides = contents().map((entry) => ({
  ...entry,
  file: fileURLToPath(new URL(`../${entry.path}`, import.meta.url)),
  name: entry.path.replace(/^docs\/|\/README|\.md$/gi, '').toLowerCase(),
}));

/** What users import, and what for; by the names that typedoc gives. */
const entryPoints: Readonly<Record<string, [name: string, about: string]>> = {
  index: ['polygate', 'The client, its errors and its types. It runs wherever `fetch` does.'],
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
  app.renderer.defineRouter('guides', GuideRouter);
  app.on('bootstrapEnd', () => {
    app.options.setValue(
      'projectDocuments',
      guides.map(({ file }) => file).filter((file) => existsSync(file)),
    );
  });
  app.converter.on(
    Converter.EVENT_CREATE_DOCUMENT,
    (_context: Context | undefined, page: DocumentReflection) => {
      const path = page.project.files.getReflectionPath(page);
      const guide = guides.find(({ file }) => file === path);
      if (guide === undefined)
        throw new Error(`docs/README.md does not list ${basename(path ?? page.name)}`);
      page.name = guide.title;
      page.frontmatter['category'] = guide.section;
      pages.set(page, `guides/${guide.name}`);
      // The title stands above the page already.
      const [first] = page.content;
      if (first !== undefined) first.text = first.text.replace(/^# .*\n+/, '');
    },
  );
  app.converter.on(
    Converter.EVENT_CREATE_DECLARATION,
    (_context: Context, module: DeclarationReflection) => {
      if (!module.kindOf(ReflectionKind.Module)) return;
      const [name, about] = entryPoints[module.name] ?? [];
      if (name === undefined || about === undefined)
        throw new Error(`No name for the entry point ${module.name}`);
      module.name = name;
      module.comment = new Comment([{ kind: 'text', text: about }]);
    },
  );
}
