/** Generates the descriptions in `src/wire/schemas/docs` from the doc comments of the interfaces in `src/wire/types`. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

import ts from 'typescript';

const root = new URL('../', import.meta.url);
const areas = ['catalog', 'chat', 'media', 'tasks'] as const;
type Area = (typeof areas)[number];

/** The descriptions of the fields of one interface, or of an object type inside of it. */
interface FieldDocs {
  area: Area;
  /** The interface, which the generated file imports from `file`. */
  interface: string;
  file: string;
  /** The described type, as an expression. */
  type: string;
  fields: Record<string, string>;
}

/** Returns the descriptions that schemas use, by the names under which they use them. */
export function schemaDocs(): Map<string, FieldDocs> {
  const all = describeInterfaces();
  const used = new Set(
    globSync(`src/wire/schemas/{${areas.join()}}/*.ts`, { cwd: root }).flatMap((file) =>
      [...readFileSync(new URL(file, root), 'utf8').matchAll(/\bdocs\.(\w+)/g)].map(
        ([, name = '']) => name,
      ),
    ),
  );
  for (const name of used) {
    const fields = Object.entries(all.get(name)?.fields ?? { [name]: '' });
    const missing = fields.find(([, text]) => text === '');
    if (missing) throw new Error(`docs.${name}: ${missing[0]} has no doc comment`);
  }
  return new Map([...all].filter(([name]) => used.has(name)));
}

function describeInterfaces(): Map<string, FieldDocs> {
  const files = areas.flatMap((area) =>
    globSync(`src/wire/types/${area}/*.ts`, { cwd: root }).map((file) => ({ area, file })),
  );
  const program = ts.createProgram(
    files.map(({ file }) => new URL(file, root).pathname),
    {
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      target: ts.ScriptTarget.ES2023,
    },
  );
  const checker = program.getTypeChecker();
  const found = new Map<string, FieldDocs>();
  for (const { area, file } of files.toSorted((a, b) => (a.file < b.file ? -1 : 1))) {
    const source = program.getSourceFile(new URL(file, root).pathname);
    for (const node of source?.statements.filter(ts.isInterfaceDeclaration) ?? []) {
      const { text } = node.name;
      const name = text.charAt(0).toLowerCase() + text.slice(1);
      const visit = (key: string, type: ts.Type, expression: string): void => {
        const fields: Record<string, string> = {};
        for (const member of type.getProperties()) {
          fields[member.name] = descriptionOf(member, checker);
          const inner = objectIn(checker.getTypeOfSymbolAtLocation(member, node), checker);
          if (inner === undefined) continue;
          const part = `NonNullable<${expression}['${member.name}']>${inner.isItem ? '[number]' : ''}`;
          visit(key + capitalized(member.name), inner.type, part);
        }
        found.set(key, { area, interface: text, file, type: expression, fields });
      };
      visit(name, checker.getTypeAtLocation(node), text);
    }
  }
  return found;
}

/** The object type without a name in the type of a field: the field itself, or each item of an array. */
function objectIn(
  field: ts.Type,
  checker: ts.TypeChecker,
): { type: ts.Type; isItem: boolean } | undefined {
  const type = field.getNonNullableType();
  const isItem = checker.isArrayType(type);
  const item = (isItem && type.getNumberIndexType()) || type;
  const isAnonymous = item.symbol?.name === '__type' && item.getProperties().length > 0;
  return isAnonymous && !item.isUnion() ? { type: item, isItem } : undefined;
}

/** The doc comment of a field in one line. */
function descriptionOf(member: ts.Symbol, checker: ts.TypeChecker): string {
  const text = ts.displayPartsToString(member.getDocumentationComment(checker));
  return text.replaceAll(/\{@link ([\w.]+)\}/g, '`$1`').replaceAll(/\s+/g, ' ');
}

const capitalized = (name: string) =>
  name.replaceAll(/(?:^|_)([a-z\d])/g, (_, letter: string) => letter.toUpperCase());

/** The content of each generated file, by path: one per file of types, and one per area that exports them. */
function filesOf(docs: Map<string, FieldDocs>): Map<string, string> {
  const files = new Map<string, string>();
  for (const area of areas) {
    const own = [...docs].filter(([, entry]) => entry.area === area);
    const sources = [...new Set(own.map(([, entry]) => entry.file))];
    for (const file of sources) {
      const entries = own.filter(([, entry]) => entry.file === file);
      files.set(file.replace('types', 'schemas/docs'), fileOf(file, entries));
    }
    const exports = sources.map((file) => `export * from './${area}/${basename(file)}';\n`);
    files.set(`src/wire/schemas/docs/${area}.ts`, exports.join(''));
  }
  return files;
}

function fileOf(file: string, entries: [string, FieldDocs][]): string {
  const names = [...new Set(entries.map(([, entry]) => entry.interface))].toSorted();
  const constants = entries.map(
    ([name, { type, fields }]) =>
      `export const ${name}: Docs<${type}> = { fields: ${JSON.stringify(fields, undefined, 2)} };`,
  );
  return [
    '// Generated from the doc comments of the interfaces by `npm run schema-docs`.',
    `import type { ${names.join(', ')} } from '../../../${file.replace('src/wire/', '')}';`,
    "import type { Docs } from '../../record-schema.ts';\n",
    constants.join('\n\n'),
    '',
  ].join('\n');
}

if (import.meta.main) {
  const files = filesOf(schemaDocs());
  rmSync(new URL('src/wire/schemas/docs', root), { recursive: true, force: true });
  for (const [path, text] of files) {
    const file = new URL(path, root);
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  }
  execFileSync('npx', ['oxfmt', 'src/wire/schemas/docs'], { cwd: root, stdio: 'inherit' });
}
