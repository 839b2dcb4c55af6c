import { expect, test } from 'vitest';

import { guides } from './guides.ts';

/** Words in the guides and the README as `wc -w` counts them: code, operators and the lines of tables included. */
const limit = 40_000;

test(`the guides have at most ${limit} words`, () => {
  const counts = guides
    .filter(({ path }) => /^(?:README|docs\/)/.test(path))
    .map(({ path, text }) => ({ path, words: text.split(/\s+/).filter(Boolean).length }));
  const total = counts.reduce((sum, { words }) => sum + words, 0);
  expect(counts.length).toBeGreaterThan(30);
  expect(total).toBeLessThanOrEqual(limit);
});
