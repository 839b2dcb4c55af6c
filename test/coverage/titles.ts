import { readFileSync } from 'node:fs';

import ts from 'typescript';

/** A test of a file. */
export interface Title {
  /** The titles of its groups and its own title, joined by ` > `. */
  title: string;
  /** The source of its cases; empty for a test without a table. */
  table: string;
}

/** Every test of a file except skipped ones; undefined if the file does not exist. */
export function titlesOf(file: URL): readonly Title[] | undefined {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const root = ts.createSourceFile(file.pathname, source, ts.ScriptTarget.Latest);
  const tables = new Map<string, string>();
  const found: Title[] = [];
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    if (ts.isVariableDeclaration(node)) {
      tables.set(node.name.getText(root), node.initializer?.getText(root) ?? '');
    }
    const call = ts.isCallExpression(node) ? titledCall(node, root) : undefined;
    if (call?.name === 'test') {
      const { table } = call;
      found.push({
        title: [...groups, call.title].join(' > '),
        table: [table, tables.get(table) ?? ''].join(' '),
      });
    }
    const inner = call?.name === 'describe' ? [...groups, call.title] : groups;
    ts.forEachChild(node, (child) => {
      visit(child, inner);
    });
  };
  visit(root, []);
  return found;
}

/** Recognizes `test('…')`, `test.each(…)('…')` and the same forms of `describe`, except skipped and todo ones. */
function titledCall(call: ts.CallExpression, root: ts.SourceFile) {
  const [title] = call.arguments;
  if (title === undefined || !ts.isStringLiteralLike(title)) return undefined;
  const callee = call.expression.getText(root);
  const [name = ''] = /^(test|describe)\b/.exec(callee) ?? [];
  if (name === '' || /^\w+(\.concurrent)?\.(skip|todo|fails|only)/.test(callee)) return undefined;
  const each = ts.isCallExpression(call.expression) ? call.expression.arguments[0] : undefined;
  return { name, title: title.text, table: each?.getText(root) ?? '' };
}
