import { readFileSync } from 'node:fs';

import ts from 'typescript';

/** A test as it stands in its file. */
export interface Title {
  /** Its title after those of the groups around it, joined by ` > `. */
  title: string;
  /** What its cases are read from; empty for a single test. */
  table: string;
}

/** Every test of a file, none of them skipped; undefined when there is no such file. */
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
    const call = ts.isCallExpression(node) ? titled(node, root) : undefined;
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

/** `test('…')`, `test.each(…)('…')` and the same of `describe`; nothing that is skipped or yet to be written. */
function titled(call: ts.CallExpression, root: ts.SourceFile) {
  const [title] = call.arguments;
  if (title === undefined || !ts.isStringLiteralLike(title)) return undefined;
  const callee = call.expression.getText(root);
  const [name = ''] = /^(test|describe)\b/.exec(callee) ?? [];
  if (name === '' || /^\w+(\.concurrent)?\.(skip|todo|fails|only)/.test(callee)) return undefined;
  const each = ts.isCallExpression(call.expression) ? call.expression.arguments[0] : undefined;
  return { name, title: title.text, table: each?.getText(root) ?? '' };
}
