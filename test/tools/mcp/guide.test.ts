import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { commandOptions, commonOptions } from '../../../src/tools/cli/command-options.ts';
import { commandSummaries } from '../../../src/tools/cli/help.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('the guide describes every option of the server', () => {
  const guide = read('docs/mcp.md');
  const options = Object.keys(commandOptions.mcp).filter((name) => !(name in commonOptions));
  for (const name of options) expect(guide).toContain(`\`--${name}`);
});

test('every command in the skill exists', () => {
  const skill = read('skills/polygate/SKILL.md');
  const names = [...skill.matchAll(/npx polygate ([a-z]+)/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(Object.keys(commandSummaries)).toEqual(expect.arrayContaining(names));
});

test('the skill names the options of the commands as they are', () => {
  const known = new Set(Object.values(commandOptions).flatMap((options) => Object.keys(options)));
  for (const [, name = ''] of read('skills/polygate/SKILL.md').matchAll(
    /`[^`]*--([a-z-]+)[^`]*`/g,
  )) {
    expect(known).toContain(name);
  }
});
