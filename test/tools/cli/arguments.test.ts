import { expect, test } from 'vitest';

import { findCommand, parseArguments, UsageError } from '../../../src/tools/cli/arguments.ts';
import { commandOptions } from '../../../src/tools/cli/command-options.ts';
import { parseParams } from '../../../src/tools/cli/params.ts';

const allOptions = Object.fromEntries(
  Object.values(commandOptions).flatMap((options) => Object.entries<object>(options)),
) as Parameters<typeof findCommand>[1];

test.each<[args: string[], command: string | undefined]>([
  [['chat', 'hello'], 'chat'],
  [['--json', 'models'], 'models'],
  [['--base-url', 'chat', 'models'], 'models'],
  [['--base-url=chat', 'models'], 'models'],
  [['-m', 'chat', '--json', 'image', 'A harbor'], 'image'],
  [['-mchat', 'image'], 'image'],
  [['--unknown', 'image'], 'image'],
  [['--help'], undefined],
  [['--', 'chat'], undefined],
  [[], undefined],
])('in %j, the command is %j', (args, command) => {
  expect(args[findCommand(args, allOptions)]).toBe(command);
});

test('an option has the same type in every command, so that its value is never taken for the command', () => {
  const types = new Map<string, string>();
  for (const options of Object.values(commandOptions)) {
    for (const [name, { type }] of Object.entries<{ type: string }>(options)) {
      expect([name, types.get(name) ?? type]).toEqual([name, type]);
      types.set(name, type);
    }
  }
});

test('options and other arguments can be mixed, and everything after -- is an argument', () => {
  const args = ['a prompt', '-m', 'aurora-chat', '--json', '--', '--b'];
  const { values, positionals } = parseArguments(args, commandOptions.chat);
  expect(values).toEqual({ model: 'aurora-chat', json: true });
  expect(positionals).toEqual(['a prompt', '--b']);
});

test('the value of a param is JSON if it parses, and text otherwise', () => {
  const options = [
    'n=2',
    'size=1024x1024',
    'style=',
    'images=["a","b"]',
    'note=a=b',
    'deep={"x":1}',
  ];
  expect(parseParams(options)).toEqual({
    n: 2,
    size: '1024x1024',
    style: '',
    images: ['a', 'b'],
    note: 'a=b',
    deep: { x: 1 },
  });
});

test.each(['n', '=2', 'model=x', 'prompt=x', 'stream=true'])('--param %s is rejected', (option) => {
  expect(() => parseParams([option])).toThrow(UsageError);
});
