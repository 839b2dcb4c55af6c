/**
 * Writes test/types/public-api.snap: the public declarations of the built package, sorted by name and without comments.
 * With `--check`, compares them with the snapshot instead, to detect unintended changes of the public API.
 */
import { readFileSync, writeFileSync } from 'node:fs';

import ts from 'typescript';

const entries = {
  polygate: 'index',
  'polygate/chat': 'chat',
  'polygate/ai-sdk': 'ai-sdk',
  'polygate/bullmq': 'bullmq',
  'polygate/doctor': 'doctor',
  'polygate/proxy': 'proxy/index',
  'polygate/proxy/redis': 'proxy/redis',
  'polygate/proxy/testing': 'proxy/testing',
  'polygate/journal': 'journal',
  'polygate/node': 'node',
  'polygate/otel': 'otel',
  'polygate/schemas': 'schemas',
  'polygate/mock': 'mock/index',
  'polygate/mock/node': 'mock/node',
  'polygate/mock/msw': 'mock/msw',
};
const dist = new URL('../dist/', import.meta.url);
const snapshot = new URL('../test/types/public-api.snap', import.meta.url);
const printer = ts.createPrinter({ removeComments: true });

/** Returns the exports and declarations of a file, and the chunks that it imports. */
function readDeclarations(file: URL) {
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
        // Chunks export one-letter names that change with every build.
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

/** Returns the declarations of the files and their chunks, sorted by name. */
function declarations(files: readonly URL[]): string[] {
  const visited = new Set<string>();
  const all = new Set<string>();
  const visit = (file: URL): void => {
    if (visited.has(file.href)) return;
    visited.add(file.href);
    const { declared, chunks } = readDeclarations(file);
    for (const text of declared) all.add(text);
    chunks.forEach(visit);
  };
  files.forEach(visit);
  const nameOf = (text: string) =>
    /(?:class|interface|type|const|function) (\w+)/.exec(text)?.[1] ?? text;
  return [...all].toSorted((a, b) => compare(nameOf(a), nameOf(b)) || compare(a, b));
}

/** Compares by code units, so that the order does not depend on the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

const files = Object.values(entries).map((entry) => new URL(`${entry}.d.ts`, dist));
const groups = [/\/dist\/[^/]+$/, /\/dist\/proxy\//, /\/dist\/mock\//].map((pattern) =>
  declarations(files.filter(({ pathname }) => pattern.test(pathname))),
);
const exported = Object.keys(entries).map((entry, index) => {
  const names = files[index] === undefined ? [] : readDeclarations(files[index]).exported;
  return [`// ${entry}`, ...names.toSorted(compare).map((name) => `export ${name}`)].join('\n');
});
const text = `${[...exported, '// Client declarations', ...(groups[0] ?? []), '// Proxy declarations', ...(groups[1] ?? []), '// Reference gateway declarations', ...(groups[2] ?? [])].join('\n\n')}\n`;

if (process.argv.includes('--check')) {
  const before = readFileSync(snapshot, 'utf8').split('\n');
  const after = text.split('\n');
  const removed = before.filter((line) => !after.includes(line)).map((line) => `- ${line}`);
  const added = after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`);
  if (text !== before.join('\n')) {
    console.error('The public API differs from test/types/public-api.snap:');
    console.error([...removed, ...added].join('\n'));
    console.error('If this is intended, run npm run api and add a changeset.');
    process.exit(1);
  }
} else {
  writeFileSync(snapshot, text);
}
