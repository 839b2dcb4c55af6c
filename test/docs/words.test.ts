import { expect, test } from 'vitest';

import { guides } from './guides.ts';

/** Words as `wc -w` counts them: code, operators and the lines of tables included. */
test.each([
  { name: 'the README has', pattern: /^README/, limit: 700 },
  { name: 'CONTRIBUTING.md has', pattern: /^CONTRIBUTING/, limit: 2_500 },
  { name: 'the guide on errors has', pattern: /^docs\/errors/, limit: 1_751 },
  { name: 'the guide on testing has', pattern: /^docs\/testing/, limit: 1_440 },
  { name: 'the guide on many machines has', pattern: /^docs\/many-machines/, limit: 1_293 },
  { name: 'the guide on observability has', pattern: /^docs\/observability/, limit: 1_114 },
  { name: 'the guide on batches has', pattern: /^docs\/batches/, limit: 1_063 },
  { name: 'all guides together have', pattern: /^docs\//, limit: 30_000 },
])('$name at most $limit words', ({ pattern, limit }) => {
  const texts = guides.filter(({ path }) => pattern.test(path)).map(({ text }) => text);
  expect(texts).not.toEqual([]);
  expect(texts.join('\n').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(limit);
});
