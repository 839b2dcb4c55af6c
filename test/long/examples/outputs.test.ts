import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { outputsFile, runExamples, stablePart } from '../../../scripts/recorded-outputs.ts';

const recorded: Readonly<Record<string, string>> = JSON.parse(readFileSync(outputsFile, 'utf8'));

const stable = (outputs: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(outputs).map(([name, output]) => [name, stablePart(name, output)]),
  );

test('the site shows what the examples print; otherwise, run `npm run docs:examples`', async () => {
  expect(stable(recorded)).toEqual(stable(await runExamples()));
});

test('another price, another word or a missing line is a difference', () => {
  const { chat = '', batch = '' } = recorded;
  for (const changed of [
    chat.replace('$0.00003', '$0.00004'),
    chat.replace('You said', 'You wrote'),
    chat.replace(/^tokens.*\n/m, ''),
  ])
    expect(stablePart('chat', changed)).not.toEqual(stablePart('chat', chat));
  expect(stablePart('batch', batch.replaceAll('succeeded', 'failed'))).not.toEqual(
    stablePart('batch', batch),
  );
});
