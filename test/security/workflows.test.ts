import { readFileSync, readdirSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

const folder = new URL('../../.github/workflows/', import.meta.url);
const files = readdirSync(folder).map(
  (name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const,
);

describe.each(files)('the workflow %s', (name, text) => {
  test('pins actions to a full commit hash, with the version in a comment', () => {
    const uses = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses)
      expect(line).toMatch(/ actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('has the minimal permissions', () => {
    const granted = [...text.matchAll(/^ +([\w-]+): (write|read)$/gm)].map(([line]) => line.trim());
    expect(text).toMatch(/^permissions:( \{\}|\n  contents: read)$/m);
    expect(new Set(granted)).toEqual(
      new Set(name === 'release.yml' ? ['contents: read', 'id-token: write'] : ['contents: read']),
    );
    expect(text).not.toMatch(/secrets\.|pull_request_target|workflow_run|write-all/);
  });

  test('puts no untrusted input into a shell, and has a time limit for every job', () => {
    for (const [line] of text.matchAll(/^.*run: .*$/gm)) expect(line).not.toContain('${{');
    const jobs = text.match(/runs-on: /g) ?? [];
    expect(text.match(/timeout-minutes: \d+/g)).toHaveLength(jobs.length);
  });
});

test('the job with the publishing identity runs no project code', () => {
  const [, release = ''] = files.find(([name]) => name === 'release.yml') ?? [];
  const [, publish = ''] = release.split('\n  publish:\n');
  expect(publish).toContain('id-token: write');
  expect(publish).not.toMatch(/checkout|npm (ci|install|run)|\.ci\/run/);
  expect([...publish.matchAll(/run: (.*)$/gm)].map(([, line]) => line)).toEqual([
    'npm publish ./polygate-*.tgz --provenance --access public',
  ]);
});

test('a pull request runs every suite of .ci/run', () => {
  const script = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8');
  const [, suites = ''] = /^suites=\((.*)\)$/m.exec(script) ?? [];
  const [, workflow = ''] = files.find(([name]) => name === 'ci.yml') ?? [];
  const [, fast = ''] = /run: \.ci\/run style (.*)$/m.exec(workflow) ?? [];
  const [, slow = ''] = /suite: \[(.*)\]$/m.exec(workflow) ?? [];
  expect([fast, ...slow.split(', ')]).toEqual(suites.split(' '));
});
