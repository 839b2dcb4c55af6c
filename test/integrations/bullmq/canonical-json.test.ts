import { expect, test } from 'vitest';

import { canonicalJson } from '../../../src/integrations/bullmq/add-rows.ts';

test('the order of object keys does not change params, that of arrays does', () => {
  const one = { b: [1, { d: 1, c: null }], a: 'x', '10': 1, '2': 2 };
  const two = { a: 'x', '2': 2, b: [1, { c: null, d: 1 }], '10': 1 };
  expect(canonicalJson(one)).toBe(canonicalJson(two));
  expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }));
});
