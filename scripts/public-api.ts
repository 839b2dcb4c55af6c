/**
 * Writes test/types/public-api.snap: all that users see of the built declarations, without comments, by name. With
 * `--check` it compares instead, so that nobody changes the public interface without knowing.
 */
import { readFileSync, writeFileSync } from 'node:fs';

import ts from 'typescript';

const entries = {
  polygate: 'index',
  'polygate/chat': 'chat',
  'polygate/journal': 'journal',
  'polygate/mock': 'mock/index',
  'polygate/mock/node': 'mock/node',
  'polygate/mock/msw': 'mock/msw',
};
const dist = new URL('../dist/', import.meta.url);
const snapshot = new URL('../test/types/public-api.snap', import.meta.url);
const printer = ts.createPrinter({ removeComments: true });

/** What a file declares, and the chunks that it takes declarations from. */
function read(file: URL) {
  const source = ts.createSourceFile('d.ts', readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const exported: string[] = [];
  const declared: string[] = [];
  const chunks: URL[] = [];
  for (const node of source.statements) {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const { text } = node.moduleSpecifier;
      if (text.startsWith('.')) chunks.push(new URL(text.replace(/\.js$/, '.d.ts'), file));
    } else if (ts.isExportDeclaration(node)) {
      if (node.exportClause === undefined || !ts.isNamedExports(node.exportClause)) continue;
      for (const { name, propertyName, isTypeOnly } of node.exportClause.elements) {
        // A chunk's one-letter names change with every build.
        const local =
          propertyName && propertyName.text.length > 1 ? `${propertyName.text} as ` : '';
        const type = node.isTypeOnly || isTypeOnly ? 'type ' : '';
        exported.push(`${type}${local}${name.text}`);
      }
    } else {
      declared.push(printer.printNode(ts.EmitHint.Unspecified, node, source));
    }
  }
  return { exported, declared, chunks };
}

/** The declarations of some files and of all their chunks, by name. */
function declarations(files: readonly URL[]): string[] {
  const seen = new Set<string>();
  const all = new Set<string>();
  const visit = (file: URL): void => {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    const { declared, chunks } = read(file);
    for (const text of declared) all.add(text);
    chunks.forEach(visit);
  };
  files.forEach(visit);
  const nameOf = (text: string) =>
    /(?:class|interface|type|const|function) (\w+)/.exec(text)?.[1] ?? text;
  return [...all].toSorted((a, b) => compare(nameOf(a), nameOf(b)) || compare(a, b));
}

/** By code units: the same order on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

const files = Object.values(entries).map((entry) => new URL(`${entry}.d.ts`, dist));
const groups = [/\/dist\/[^/]+$/, /\/dist\/mock\//].map((place) =>
  declarations(files.filter(({ pathname }) => place.test(pathname))),
);
const exported = Object.keys(entries).map((entry, index) => {
  const names = files[index] === undefined ? [] : read(files[index]).exported;
  return [`// ${entry}`, ...names.toSorted(compare).map((name) => `export ${name}`)].join('\n');
});
const text = `${[...exported, '// What the client declares', ...(groups[0] ?? []), '// What the reference gateway declares', ...(groups[1] ?? [])].join('\n\n')}\n`;

if (process.argv.includes('--check')) {
  const before = readFileSync(snapshot, 'utf8').split('\n');
  const after = text.split('\n');
  const gone = before.filter((line) => !after.includes(line)).map((line) => `- ${line}`);
  const come = after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`);
  if (text !== before.join('\n')) {
    console.error('The public interface is not what test/types/public-api.snap says:');
    console.error([...gone, ...come].join('\n'));
    console.error('If that is meant: npm run api, and a changeset.');
    process.exit(1);
  }
} else {
  writeFileSync(snapshot, text);
}
