import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';

import { catalogOf, declarationOf } from '../../src/tools/cli/types-declaration.ts';
import { onMock } from '../client/support.ts';
import { consumer, serviceOf } from './language-service.ts';

const client = `
import { customModel, Polygate } from 'polygate';
import type { ModelCatalog } from 'polygate';
const gateway = new Polygate();
const messages = [{ role: 'user' as const, content: 'Hi' }];
`;

let catalog: string;

beforeAll(async () => {
  catalog = declarationOf(catalogOf((await onMock().gateway.models.list()).data));
});

/** The compiler's errors in a program, with the generated file or without it. */
function errorsIn(program: string, file = catalog): string[] {
  const errors = serviceOf(`${file}${client}${program}`).getSemanticDiagnostics(consumer);
  return errors
    .filter(({ reportsUnnecessary }) => !reportsUnnecessary)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

/** Returns the service of a program and the position of the mark `|` in it. */
function at(program: string) {
  const text = `${catalog}${client}${program}`;
  const position = text.lastIndexOf('|');
  const service = serviceOf(text.slice(0, position) + text.slice(position + 1));
  return { service, position };
}

describe('with the generated file', () => {
  test('the models of each type compile, with any resolution', () => {
    expect(
      errorsIn(`
        void gateway.images.generate({ model: 'prism-image', prompt: 'p', resolution: '2K' });
        void gateway.images.generate({ model: 'prism-image', image: 'u', resolution: '2k' });
        void gateway.videos.generate({ model: 'tide-video', prompt: 'p', resolution: '720P' });
        void gateway.audio.music.generate({ model: 'anthem-music', prompt: 'p' });
        void gateway.audio.speech.generate({ model: 'echo-speech', text: 't' });
        void gateway.audio.speech.generate({ model: 'anthem-music', text: 't' });
        void gateway.chat.completions.create({ model: 'aurora-chat', messages });
        void gateway.chat.completions.stream({ model: 'lumen/vision-chat', messages });
      `),
    ).toEqual([]);
  });

  test.each([
    [`gateway.images.generate({ model: 'prism-imgae', prompt: 'p' })`, 'prism-image'],
    [`gateway.images.generate({ model: 'prism-imgae', image: 'u' })`, 'prism-image'],
    [`gateway.videos.submit({ model: 'prism-image', prompt: 'p' })`, 'tide-video'],
    [`gateway.audio.music.submit({ model: 'tide-video', prompt: 'p' })`, 'anthem-music'],
    [`gateway.chat.completions.create({ model: 'prism-image', messages })`, 'aurora-chat'],
    [`gateway.chat.completions.parse({ model: '', messages, response_format: null! })`, ''],
  ])('%s does not compile', (call, offered) => {
    const errors = errorsIn(`void ${call};`);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(offered);
  });

  test('a string does not compile, unless it is marked as the id of a custom model', () => {
    const call = (model: string) => `
      declare const id: string;
      void gateway.images.generate({ model: ${model}, prompt: 'p' });
      void gateway.chat.completions.create({ model: ${model}, messages });`;
    expect(errorsIn(call('id'))).toHaveLength(2);
    expect(errorsIn(call('customModel(id)'))).toEqual([]);
  });

  test('a type without models accepts only custom models', () => {
    const none = catalog.replace(/video: \{.*?\n {4}\};/s, 'video: {};');
    expect(none).not.toContain('tide-video');
    const call = (model: string) => `void gateway.videos.submit({ model: ${model}, prompt: 'p' });`;
    expect(errorsIn(call(`'tide-video'`), none)).toHaveLength(1);
    expect(errorsIn(call(`customModel('tide-video')`), none)).toEqual([]);
  });

  test('an editor offers the ids of the type, and no others', () => {
    for (const [program, ids] of [
      [
        `void gateway.images.generate({ model: '|', prompt: 'p' });`,
        ['prism-image', 'prism-sketch'],
      ],
      [
        `void gateway.images.generate({ model: '|', image: 'u' });`,
        ['prism-image', 'prism-sketch'],
      ],
      [`void gateway.videos.submit({ model: '|' });`, ['tide-video']],
    ] as const) {
      const { service, position } = at(program);
      const found = service.getCompletionsAtPosition(consumer, position, undefined);
      const names = found?.entries.map(({ name }) => name) ?? [];
      expect(names).toEqual(expect.arrayContaining([...ids]));
      expect(names.filter((name) => /chat|speech|music/.test(name))).toEqual([]);
    }
  });

  test('an editor offers the priced resolutions', () => {
    const { service, position } = at(
      `void gateway.images.generate({ model: 'prism-image', prompt: 'p', resolution: '|' });`,
    );
    const found = service.getCompletionsAtPosition(consumer, position, undefined);
    expect(found?.entries.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['1K', '2K', '4K']),
    );
  });

  test('an editor shows the price of a model at its declaration, and when it completes a model of the catalog', () => {
    const { service, position } = at(`export type Sketch = ModelCatalog['image']['|'];`);
    const details = service.getCompletionEntryDetails(
      consumer,
      position,
      'prism-image',
      {},
      undefined,
      undefined,
      undefined,
    );
    expect(ts.displayPartsToString(details?.documentation)).toContain('$0.02 per image (1K)');
    const declared = catalog.indexOf('"prism-image"') + 1;
    const hover = service.getQuickInfoAtPosition(consumer, declared);
    expect(ts.displayPartsToString(hover?.documentation)).toContain('$0.02 per image (1K)');
  });

  test('an editor shows the documentation of `model` and `resolution`', () => {
    for (const field of ['model', 'resolution']) {
      const { service, position } = at(
        `void gateway.images.generate({ prompt: 'p', |${field}: 'prism-image' });`,
      );
      const hover = service.getQuickInfoAtPosition(consumer, position);
      expect(ts.displayPartsToString(hover?.documentation)).not.toBe('');
    }
  });
});

describe('without the generated file', () => {
  test('any string is the id of a model', () => {
    expect(
      errorsIn(
        `
        declare const id: string;
        void gateway.images.generate({ model: id, prompt: 'p', resolution: id });
        void gateway.videos.generate({ model: customModel(id), prompt: 'p' });
        void gateway.chat.completions.create({ model: id, messages });
        export type Catalog = ModelCatalog;
      `,
        '',
      ),
    ).toEqual([]);
  });
});
