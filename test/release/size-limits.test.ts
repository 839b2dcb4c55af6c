import { expect, test } from 'vitest';

import limits from '../../.size-limit.json' with { type: 'json' };
import { limitFor } from '../../scripts/size-limits.ts';

test.each([
  [20_000, undefined, '20.2 KiB'],
  [10_240, undefined, '10.3 KiB'],
  [19_000, 19, '19 KiB'],
  [18_000, 19, '18.2 KiB'],
])('the limit for %d bytes with the target %s is %s', (bytes, target, limit) => {
  expect(limitFor(bytes, target)).toBe(limit);
});

test('no limit is above its target', () => {
  const limitOf = (path: string, imported: string) =>
    Number.parseFloat(
      limits.find((entry) => entry.path === path && entry.import === imported)?.limit ?? '',
    );
  expect(limitOf('dist/index.js', '{ Polygate }')).toBeLessThanOrEqual(30);
  expect(limitOf('dist/chat.js', '{ ChatClient }')).toBeLessThanOrEqual(22.2);
});
