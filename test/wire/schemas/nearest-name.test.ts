import { describe, expect, test } from 'vitest';

import { nearestName } from '../../../src/wire/types/nearest-name.ts';

const known = ['port', 'host', 'key', 'timeout', 'maxRetries', 'idempotencyKey', 'baseURL'];

describe('nearestName', () => {
  test.each([
    ['snake case', 'idempotency_key', 'idempotencyKey'],
    ['kebab case', 'idempotency-key', 'idempotencyKey'],
    ['another case', 'baseUrl', 'baseURL'],
    ['two swapped letters', 'prot', 'port'],
    ['a missing letter', 'hst', 'host'],
    ['an extra letter', 'keys', 'key'],
    ['a wrong letter', 'timeoud', 'timeout'],
    ['a suffix', 'timeoutMs', 'timeout'],
    ['a missing prefix', 'retries', 'maxRetries'],
    ['several typos in a long name', 'indempotensyKy', 'idempotencyKey'],
  ])('recognizes a name with %s', (_, name, expected) => {
    expect(nearestName(name, known)).toBe(expected);
  });

  test.each(['', '_', 'x', 'toString', 'retry', 'color', 'ho', 'idem'])(
    'suggests nothing for %j, which resembles no name',
    (name) => {
      expect(nearestName(name, known)).toBeUndefined();
    },
  );

  test('prefers the same letters to fewer typos, and fewer typos to more', () => {
    expect(nearestName('max_tokens', ['maxToken', 'maxTokens'])).toBe('maxTokens');
    expect(nearestName('creatingMs', ['createMs', 'createdMs', 'creatinMs'])).toBe('creatinMs');
  });

  test('is fast for a very long name', () => {
    const name = 'idempotencyKey'.repeat(100_000);
    expect(nearestName(name, known)).toBeUndefined();
  });
});
