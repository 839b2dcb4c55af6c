import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Files that read messages of others, which say what they mean in no other way. */
const foreign: Readonly<Record<string, string>> = {
  'src/client/call/attempt.ts': 'a fetch that refuses the signal',
  'src/client/http/network-error.ts': 'errors of Node, undici and Deno without a code of their own',
  'src/integrations/bullmq/redis/connection.ts': 'what Redis responds',
  'src/integrations/bullmq/redis/scripts/lua-script.ts': 'what Redis responds',
  'src/tools/doctor/free/poll-paths.ts': 'two responses of the service, compared with each other',
  'src/tools/cli/arguments.ts': 'the first line of what parseArgs of Node says',
  'src/tools/cli/terminal.ts': 'the first line of an error of the system',
  'src/tools/cli/mcp.ts': 'which package Node has not found',
};

/** Methods that search, compare, cut or replace text. */
const readers =
  /^(includes|startsWith|endsWith|indexOf|lastIndexOf|search|match|matchAll|replace|replaceAll|split|slice|substring|at|localeCompare)$/;

/** Whether an expression is the message of an error, also as a text. */
function isMessage(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'message';
  if (ts.isElementAccessExpression(node)) return node.argumentExpression.getText() === "'message'";
  if (ts.isIdentifier(node)) return node.text === 'message';
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) {
    return isMessage(node.expression);
  }
  if (ts.isCallExpression(node)) {
    const [argument] = node.arguments;
    const name = node.expression.getText();
    // Also own texts, however they are composed.
    if (/^(messageOf|commandMessage|messageForPeople|toMessage|textOfPart)$/.test(name))
      return true;
    return argument !== undefined && name === 'String' && isMessage(argument);
  }
  return false;
}

/** Texts that a condition may compare anything with. */
const isNothing = (node: ts.Node) =>
  node.kind === ts.SyntaxKind.NullKeyword || ['undefined', "''"].includes(node.getText());

/** The conditions of a file that depend on the message of an error, as they are written. */
function conditionsOnMessages(name: string, text: string): string[] {
  const found: string[] = [];
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name: method, expression: receiver } = node.expression;
      const reads = readers.test(method.text) && isMessage(receiver);
      const tests = /^(test|exec)$/.test(method.text) && node.arguments.some(isMessage);
      if (reads || tests) found.push(node.getText());
    } else if (ts.isBinaryExpression(node)) {
      const { left, right, operatorToken } = node;
      const compares = /^[!=]==?$/.test(operatorToken.getText());
      const isText = [left, right].some(isMessage) && ![left, right].some(isNothing);
      if (compares && isText) found.push(node.getText());
    } else if (ts.isSwitchStatement(node) && isMessage(node.expression)) {
      found.push(`switch (${node.expression.getText()})`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

test('no condition depends on the message of an error', () => {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).toSorted();
  const conditions = files.flatMap((name) =>
    conditionsOnMessages(name, readFileSync(root + name, 'utf8')).map(
      (condition) => [name, condition] as const,
    ),
  );
  expect(conditions.filter(([name]) => !(name in foreign))).toEqual([]);
  // A file that reads no messages any longer is not an exception.
  expect(Object.keys(foreign).toSorted()).toEqual(
    [...new Set(conditions.map(([name]) => name))].toSorted(),
  );
});

test.each([
  ["error.message.startsWith('apiKey')", 1],
  ['/refused/i.test(error.message)', 1],
  ['/refused/i.exec(String(error.message))', 1],
  ["const { message } = error; if (message === 'x') {}", 1],
  ["switch (error.message) { case 'x': }", 1],
  ["(error as Error)['message'].replace('a', 'b')", 1],
  ["messageOf(error).split('. ')", 1],
  ["issues.find(({ message }) => message.includes('Did you mean'))", 1],
  ["message === undefined || message === ''", 0],
  ['`${error.message}.`', 0],
  ["error.reason === 'lost'", 0],
])('%s has %d conditions on a message', (text, count) => {
  expect(conditionsOnMessages('probe.ts', text)).toHaveLength(count);
});
