/** Generates the zod schemas in `src/wire/generated` from the interfaces in `src/wire/types` and their doc comments. */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

import { readConstants } from './schema-constants.ts';
import type { Constant } from './schema-constants.ts';

const root = new URL('../', import.meta.url);
const folder = 'src/wire/generated';
const header = '// Generated from the interfaces in `src/wire/types` by `npm run schema-docs`.\n';

/** Returns the content of each generated file, by path: what the sources use of the schemas, and all that this needs. */
export function generatedFiles(): Map<string, string> {
  const used = new Set(
    globSync('src/**/*.ts', { cwd: root })
      .flatMap((file) => [
        ...readFileSync(new URL(file, root), 'utf8').matchAll(/\bshapes\.(\w+)/g),
      ])
      .map(([, name = '']) => name),
  );
  const constants = readConstants(root, used);
  const paths = [...new Set([...constants.values()].map(({ file }) => file))].toSorted();
  const exports = paths.map((path) => `export * from './${path}';\n`);
  return new Map([
    ...paths.map((path) => [`${folder}/${path}`, fileOf(path, constants, used)] as const),
    [`${folder}/index.ts`, `${header}${exports.join('')}`],
  ]);
}

/** The content of one file. Constants that nothing else needs are not exported. */
function fileOf(
  path: string,
  constants: ReadonlyMap<string, Constant>,
  used: ReadonlySet<string>,
): string {
  const own = [...constants].filter(([, { file }]) => file === path);
  const others = [...constants].filter(([, { file }]) => file !== path);
  const neededElsewhere = new Set(others.flatMap(([, { needs }]) => [...needs]));
  const code = own.map(([name, constant]) =>
    used.has(name) || neededElsewhere.has(name) ? `export ${constant.code}` : constant.code,
  );
  const needed = new Set(own.flatMap(([, { needs }]) => [...needs]));
  const calls = code.join('').replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  const helpers = [...new Set(calls.match(/(?<![.\w])[a-z]\w*(?=\()/g))].toSorted();
  const types = ['Schema', 'WithOptional'].filter((name) => calls.includes(`${name}<`));
  const imports = [
    calls.includes('z.') ? "import * as z from 'zod/mini';\n\n" : '',
    importOf('', helpers, '../../schemas/record-schema.ts'),
    importOf('type ', types, '../../schemas/record-schema.ts'),
    importOf(
      'type ',
      [...new Set(own.flatMap(([, { types: named }]) => named))].toSorted(),
      `../../types/${path}`,
    ),
    ...[...new Set(others.map(([, { file }]) => file))].toSorted().map((file) => {
      const names = others.filter(([name, constant]) => constant.file === file && needed.has(name));
      return importOf('', names.map(([name]) => name).toSorted(), `../${file}`);
    }),
  ];
  return `${header}${imports.join('')}\n${code.join('\n')}`;
}

const importOf = (kind: string, names: readonly string[], from: string): string =>
  names.length === 0 ? '' : `import ${kind}{ ${names.join(', ')} } from '${from}';\n`;

if (import.meta.main) {
  const files = generatedFiles();
  rmSync(new URL(folder, root), { recursive: true, force: true });
  for (const [path, text] of files) {
    const file = new URL(path, root);
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  }
}
