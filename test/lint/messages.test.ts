import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Files that read messages of others, which say what they mean in no other way. */
const foreign: Readonly<Record<string, string>> = {
  'src/client/call/attempt.ts': 'a fetch that refuses the signal',
  'src/client/http/failure.ts': 'errors of Node, undici and Deno without a code of their own',
  'src/integrations/bullmq/redis/connection.ts': 'what Redis responds',
  'src/integrations/bullmq/redis/scripts/lua.ts': 'what Redis responds',
  'src/tools/doctor/free/poll-paths.ts': 'two responses of the service, compared with each other',
  'src/tools/doctor/run/failure.ts': 'what the runtime says about a connection',
  'src/client/http/refused-signal.ts': 'two errors of the runtime, compared with each other',
  'src/errors/base.ts': 'a cause, which is not printed twice',
  'src/errors/restate-charge.ts': 'the stack trace of an error, which begins with its message',
  'src/integrations/ai-sdk/call.ts': 'what the AI SDK says, which can be long',
  'src/tools/cli/arguments.ts': 'the first line of what Node and other packages say',
  'src/tools/cli/mcp.ts': 'which package Node has not found',
};

/** Methods that search, compare, cut or replace text. */
const readers =
  /^(includes|startsWith|endsWith|indexOf|lastIndexOf|search|match|matchAll|replace|replaceAll|split|slice|substring|at|localeCompare)$/;

/** Methods whose argument is a message that they search, or search for. */
const testers = /^(test|exec|includes|startsWith|endsWith|indexOf|replace|replaceAll|split)$/;

/** Functions that return a message or a part of one, also of the client's own errors. */
const composers = /^(messageOf|commandMessage|messageForPeople|toMessage|textOfPart|firstLineOf)$/;

/** Methods that return the same text in another form. */
const formatters = /^(toLowerCase|toUpperCase|trim|trimEnd|trimStart|toString|normalize)$/;

/** Whether an expression is the message of an error, also as a text. `aliases` are the variables that contain one. */
function isMessage(node: ts.Node, aliases: ReadonlySet<string>): boolean {
  const is = (other: ts.Node): boolean => isMessage(other, aliases);
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'message';
  if (ts.isElementAccessExpression(node)) return node.argumentExpression.getText() === "'message'";
  if (ts.isIdentifier(node)) return node.text === 'message' || aliases.has(node.text);
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node))
    return is(node.expression);
  if (ts.isConditionalExpression(node)) return is(node.whenTrue) || is(node.whenFalse);
  if (ts.isBinaryExpression(node)) {
    const isChoice = /^(\?\?|\|\|)$/.test(node.operatorToken.getText());
    return isChoice && (is(node.left) || is(node.right));
  }
  if (ts.isCallExpression(node)) {
    const [argument] = node.arguments;
    const name = node.expression.getText();
    if (composers.test(name)) return true;
    if (ts.isPropertyAccessExpression(node.expression)) {
      const { name: method, expression: receiver } = node.expression;
      return formatters.test(method.text) && is(receiver);
    }
    return argument !== undefined && name === 'String' && is(argument);
  }
  return false;
}

/** The variables of a file that contain a message under another name. */
function aliasesIn(file: ts.SourceFile): ReadonlySet<string> {
  const aliases = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      if (isMessage(node.initializer, aliases)) aliases.add(node.name.text);
    } else if (ts.isBindingElement(node) && ts.isIdentifier(node.name)) {
      if (node.propertyName?.getText() === 'message') aliases.add(node.name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return aliases;
}

/** Texts that a condition may compare anything with. */
const isNothing = (node: ts.Node) =>
  node.kind === ts.SyntaxKind.NullKeyword || ['undefined', "''"].includes(node.getText());

/** The conditions of a file that depend on the message of an error, as they are written. */
function conditionsOnMessages(name: string, text: string): string[] {
  const found: string[] = [];
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true);
  const aliases = aliasesIn(file);
  const is = (node: ts.Node) => isMessage(node, aliases);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name: method, expression: receiver } = node.expression;
      const reads = readers.test(method.text) && is(receiver);
      const tests = testers.test(method.text) && node.arguments.some(is);
      if (reads || tests) found.push(node.getText());
    } else if (ts.isBinaryExpression(node)) {
      const { left, right, operatorToken } = node;
      const compares = /^[!=]==?$/.test(operatorToken.getText());
      const isText = [left, right].some(is) && ![left, right].some(isNothing);
      if (compares && isText) found.push(node.getText());
    } else if (ts.isSwitchStatement(node) && is(node.expression)) {
      found.push(`switch (${node.expression.getText()})`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const places = [
  'src/**/*.{ts,tsx}',
  'playground/*.ts',
  'playground/{lab,server,shared,src}/**/*.{ts,tsx}',
];

test('no condition depends on the message of an error', () => {
  const files = globSync(places, { cwd: root }).toSorted();
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
  ["const text = isKnown ? error.message : ''; text.split('. ')", 1],
  ["const { message: text } = error; text.endsWith('.')", 1],
  ["error.message.toLowerCase().replaceAll(' ', '_')", 1],
  ['stack.replace(error.message, message)', 1],
  ["message === undefined || message === ''", 0],
  ['`${error.message}.`', 0],
  ["error.reason === 'lost'", 0],
])('%s has %d conditions on a message', (text, count) => {
  expect(conditionsOnMessages('probe.ts', text)).toHaveLength(count);
});
