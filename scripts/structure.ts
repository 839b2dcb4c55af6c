/**
 * Measures in how many places the ideas of `src` live, and fails above a limit of `.structure-limits.json`. `npm run structure`
 * prints the numbers, with `--files` also the files behind them. `npm run structure:limits` sets the limits to them, which
 * should become lower.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import ts from 'typescript';

const root = join(import.meta.dirname, '..', 'src');

/** What can be counted in one file. The arrays are paths below `src`. */
interface SourceFile {
  readonly lines: number;
  readonly isGenerated: boolean;
  readonly importLines: number;
  readonly namedTypes: number;
  readonly internalMembers: number;
  /** Everything the file imports: values, types, and what it loads later. */
  readonly imports: readonly string[];
  /** What runs because of this file, now or later. */
  readonly runs: readonly string[];
}

/** Integrations import the client by its name. */
const resolveImport = (from: string, specifier: string) =>
  specifier === 'polygate' ? 'index.ts' : relative(root, join(root, dirname(from), specifier));

const readSource = (name: string): SourceFile => {
  const text = readFileSync(join(root, name), 'utf8');
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);
  const imports = new Set<string>();
  const runs = new Set<string>();
  let importLines = 0;
  let namedTypes = 0;
  let internalMembers = 0;
  const add = (specifier: ts.Node | undefined, isTypeOnly: boolean) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const imported = resolveImport(name, specifier.text);
    imports.add(imported);
    if (!isTypeOnly) runs.add(imported);
  };
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      importLines += lineOf(node.end) - lineOf(node.getStart(file)) + 1;
      const isTypeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      add(node.moduleSpecifier, isTypeOnly);
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true);
    } else if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
      namedTypes += 1;
    } else if (ts.isClassDeclaration(node) && node.name?.text === 'Polygate') {
      internalMembers += node.members.filter((member) =>
        ts.getJSDocTags(member).some((tag) => tag.tagName.text === 'internal'),
      ).length;
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return {
    lines: text.split('\n').length - 1,
    isGenerated: text.startsWith('// Generated'),
    importLines,
    namedTypes,
    internalMembers,
    imports: [...imports],
    runs: [...runs],
  };
};

const files = new Map(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => [name, readSource(name)]),
);
const written = new Map([...files].filter(([, file]) => !file.isGenerated));

const sum = (count: (file: SourceFile) => number) =>
  [...written.values()].reduce((total, file) => total + count(file), 0);

const allImports = [...files.values()].flatMap(({ imports }) => imports);
const withOneImporter = [...written.keys()].filter(
  (name) => allImports.filter((imported) => imported === name).length === 1,
);

const closureOf = (start: string) => {
  const found = new Set([start]);
  for (const name of found) for (const next of files.get(name)?.runs ?? []) found.add(next);
  return [...found].filter((name) => files.has(name));
};

/** One path of each circle. The linter finds the others, but does not follow `import()`. */
const findCircles = () => {
  const circles: string[] = [];
  const path: string[] = [];
  const done = new Set<string>();
  const visit = (name: string) => {
    const start = path.indexOf(name);
    if (start >= 0) circles.push([...path.slice(start), name].join(' -> '));
    if (start >= 0 || done.has(name)) return;
    path.push(name);
    for (const next of files.get(name)?.imports ?? []) visit(next);
    path.pop();
    done.add(name);
  };
  for (const name of files.keys()) visit(name);
  return circles;
};

const lines = sum((file) => file.lines);
const importShare = (100 * sum((file) => file.importLines)) / lines;
const circles = findCircles();

/** What is counted, and its number. */
const counts: readonly (readonly [string, number])[] = [
  ['hand-written files', written.size],
  ['hand-written lines', lines],
  ['files with exactly one importer', withOneImporter.length],
  ['lines of imports, in percent', Number(importShare.toFixed(1))],
  ['files that resources/images needs, now or later', closureOf('resources/images.ts').length],
  ['named types', sum((file) => file.namedTypes)],
  ['@internal members of Polygate', sum((file) => file.internalMembers)],
  ['circles of imports, with import()', circles.length],
];

const limitsFile = join(root, '..', '.structure-limits.json');
if (process.argv.includes('--set-limits'))
  writeFileSync(limitsFile, `${JSON.stringify(Object.fromEntries(counts), undefined, 2)}\n`);
const limits: Record<string, number> = JSON.parse(readFileSync(limitsFile, 'utf8'));

if (process.argv.includes('--files')) console.log([...withOneImporter, ...circles].join('\n'));
for (const [name, count] of counts) {
  const limit = limits[name] ?? 0;
  console.log(`${count.toLocaleString('en-US').padStart(7)}  ${name} (limit ${limit})`);
  if (count > limit) process.exitCode = 1;
}
