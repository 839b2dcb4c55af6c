import * as fc from 'fast-check';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

import type { Model } from '../../../../src/index.ts';
import {
  catalogOf,
  declarationOf,
  readDeclaration,
} from '../../../../src/tools/cli/types-declaration.ts';
import type { Catalog } from '../../../../src/tools/cli/types-declaration.ts';
import { differences } from '../../../../src/tools/cli/types.ts';
import { modelTypes } from '../../../../src/wire/types/catalog/pricing.ts';
import { onMock } from '../../../client/support.ts';

async function modelsOfMock(): Promise<Model[]> {
  return (await onMock().gateway.models.list()).data;
}

/** A model whose id, resolution and unit are a given text. */
async function modelNamed(id: string, resolution = id): Promise<Model> {
  const model = (await modelsOfMock()).find(({ type }) => type === 'image')!;
  const price = { ...model.pricing.resolutionPrices[0]!, resolution };
  const pricing = structuredClone({ ...model.pricing, resolutionPrices: [price] });
  pricing.profiles.api.resolutionPrices = [price];
  pricing.profiles.api.billingUnit = id;
  return { ...model, id, pricing };
}

/** What the file declares: the names in each type, as the compiler reads them. */
function declared(file: string): Record<string, string[]> {
  const source = ts.createSourceFile('models.d.ts', file, ts.ScriptTarget.Latest, true);
  const problems = ts.transpileModule(file, { reportDiagnostics: true }).diagnostics ?? [];
  expect(problems.map(({ messageText }) => messageText)).toEqual([]);
  const [first, module, ...others] = source.statements;
  expect([first?.kind, module?.kind, others]).toEqual([
    ts.SyntaxKind.ImportDeclaration,
    ts.SyntaxKind.ModuleDeclaration,
    [],
  ]);
  const body = module && ts.isModuleDeclaration(module) ? module.body : undefined;
  const statements = body && ts.isModuleBlock(body) ? body.statements : [];
  expect(statements).toHaveLength(1);
  const members = statements.flatMap((statement) =>
    ts.isInterfaceDeclaration(statement) ? [...statement.members] : [],
  );
  return Object.fromEntries(
    members.map((member) => {
      const type = ts.isPropertySignature(member) ? member.type : undefined;
      const models = type && ts.isTypeLiteralNode(type) ? type.members.map(nameOf) : [];
      return [member.name?.getText(), models];
    }),
  );
}

function nameOf(member: ts.TypeElement): string {
  const { name } = member;
  return name !== undefined && ts.isStringLiteral(name) ? name.text : '';
}

describe('the generated file', () => {
  test('lists the models by type, each with its price and its priced resolutions', async () => {
    const file = declarationOf(catalogOf(await modelsOfMock()));
    expect(declared(file).image).toContain('prism-image');
    expect(file).toContain(
      '      /** $0.02 per image (1K), $0.04 (2K), $0.08 (4K) */\n' +
        '      "prism-image": "1K" | "2K" | "4K";\n',
    );
    expect(file).toContain(
      '      /** $0.0005 in, $0.0015 out per 1000 tokens */\n      "aurora-chat": never;\n',
    );
  });

  test.each([
    ['quotes', `a"b'c\`d`],
    ['a backslash', 'a\\'],
    ['an escaped quote', 'a\\"; } } evil(); //'],
    ['line breaks', 'a\nb\r\nc\u2028d\u2029e'],
    ['the end of a comment', 'a*/ evil(); /*'],
    ['the end of the interface', 'a": never; } } evil(); declare module "x" { interface Y { "'],
    ['control characters', 'a\u0000\u001B[31m\u202E'],
    ['the name of the prototype', '__proto__'],
    ['nothing', ''],
  ])('cannot be changed by an id, a resolution or a unit with %s', async (_, text) => {
    const file = declarationOf(catalogOf([await modelNamed(text)]));
    const none = Object.fromEntries(modelTypes.map((type) => [type, []]));
    expect(declared(file)).toEqual({ ...none, image: [text] });
    const [comment = '', ...others] = file.match(/\/\*\*.*?\*\//gs) ?? [];
    expect(others).toEqual([]);
    expect(comment).toMatch(/^[^\p{C}\u2028\u2029]*$/u);
  });

  test('cannot be changed by any text, and is read as it was written', async () => {
    const model = await modelNamed('m');
    const text = fc.string({ unit: 'binary', maxLength: 20 });
    fc.assert(
      fc.property(fc.uniqueArray(text, { minLength: 1, maxLength: 4 }), text, (ids, unit) => {
        const pricing = structuredClone(model.pricing);
        pricing.profiles.api.resolutionPrices[0]!.resolution = unit;
        const catalog = catalogOf(ids.map((id) => ({ ...model, id, pricing })));
        const file = declarationOf(catalog);
        expect(new Set(declared(file).image)).toEqual(new Set(ids));
        expect(readDeclaration(file)).toEqual(catalog);
      }),
      { numRuns: 30 },
    );
  });

  test('is read the same after a formatter has changed it', async () => {
    const catalog = catalogOf([...(await modelsOfMock()), await modelNamed(`it's new`)]);
    const file = declarationOf(catalog);
    const single = file.replaceAll(
      /"((?:[^"\\]|\\.)*)"/g,
      (_, text: string) => `'${text.replaceAll("'", "\\'")}'`,
    );
    const broken = file.replaceAll(' | ', '\n        | ').replaceAll('/** ', '/**\n       * ');
    const plain = file.replaceAll(/;$/gm, '');
    for (const formatted of [single, plain]) {
      expect(formatted).not.toBe(file);
      expect(differences(readDeclaration(formatted), catalog)).toEqual([]);
    }
    expect([...(readDeclaration(broken).get('image') ?? [])].map(([id]) => id)).toEqual(
      [...(catalog.get('image') ?? [])].map(([id]) => id),
    );
  });

  test('is read whatever the length of its names and lists', async () => {
    const long = 'a"\\'.repeat(3_000_000);
    const model = await modelNamed('m');
    const price = model.pricing.profiles.api.resolutionPrices[0]!;
    const pricing = structuredClone(model.pricing);
    pricing.profiles.api.resolutionPrices = Array.from({ length: 100_000 }, (_, index) => ({
      ...price,
      resolution: `${index}K`,
    }));
    const catalog = catalogOf([
      { ...model, id: long },
      { ...model, pricing },
    ]);
    expect(differences(readDeclaration(declarationOf(catalog)), catalog)).toEqual([]);
  });

  test('has a price for every record of prices, including one without the usual fields', async () => {
    const [model] = await modelsOfMock();
    const priced = (pricing: unknown) => {
      const catalog = catalogOf([{ ...model!, ...JSON.parse(JSON.stringify({ pricing })) }]);
      return catalog.get(model!.type)?.get(model!.id)?.price;
    };
    expect(priced(null)).toBe('no price listed');
    expect(priced({ unitPriceUsd: 'free', resolutionPrices: [null, 7] })).toBe('no price listed');
    expect(priced({ unitPriceUsd: 0.1 + 0.2 })).toBe('$0.30 per unit');
    expect(priced({ unitPriceUsd: 9, profiles: { api: { unitPriceUsd: 0 } } })).toBe(
      'no price listed',
    );
    expect(
      priced({ unitPriceUsd: 0.0000003, profiles: { api: { billingUnit: 'character' } } }),
    ).toBe('$0.0000003 per character');
  });
});

test('resolutions that many models share have a name, and are read again', () => {
  const entry = { price: '1 USD', resolutions: ['1K', 'a"b'] };
  const ids = Array.from({ length: 30 }, (_, index) => `model-${index}`);
  const models = new Map([
    ...ids.map((id) => [id, entry] as const),
    ['rare', { price: '2 USD', resolutions: ['8K'] }],
    ['plain', { price: '3 USD', resolutions: [] }],
  ]);
  const catalog: Catalog = new Map([['image', models]]);
  const file = declarationOf(catalog);
  expect(file).toContain('type Resolutions1 = "1K" | "a\\"b";');
  expect(file).toContain('"model-7": Resolutions1;');
  expect(file).toContain('"rare": "8K";');
  expect(differences(readDeclaration(file), catalog)).toEqual([]);
});

describe('differences', () => {
  const entry = (price: string, ...resolutions: string[]) => ({ price, resolutions });
  const before: Catalog = new Map([
    [
      'image',
      new Map([
        ['a', entry('1 USD')],
        ['b', entry('2 USD', '1K')],
      ]),
    ],
    ['video', new Map([['c', entry('3 USD')]])],
  ]);

  test.each([
    ['nothing', before, []],
    [
      'a price, a removed and a new model, and one of another type',
      new Map([
        [
          'image',
          new Map([
            ['a', entry('1.5 USD')],
            ['b', entry('2 USD', '1K', '2K')],
            ['c', entry('3 USD')],
          ]),
        ],
      ]),
      [
        '- video "c"',
        '~ image "a": 1 USD is now 1.5 USD',
        '~ image "b": 2 USD ("1K") is now 2 USD ("1K", "2K")',
        '+ image "c": 3 USD',
      ],
    ],
  ])('name %s', (_, now, lines) => {
    expect(differences(before, now)).toEqual(lines);
  });
});
