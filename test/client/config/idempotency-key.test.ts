import { describe, expect, test } from 'vitest';

import { checkValue, idempotencyKeyRule } from '../../../src/client/config/validation.ts';
import { thrown } from '../support.ts';

const problem = 'idempotencyKey: must be 1 to 200 visible ASCII characters.';
const check = (key: unknown) => checkValue('idempotencyKey', key, idempotencyKeyRule);

describe('idempotencyKeyRule', () => {
  test.each([
    ['one character', 'a'],
    ['a UUID', '3f2b8c1e-0d4a-4f57-9a55-1f0a4b8f2c6d'],
    ['the first and the last visible character', '!~'],
    ['200 characters', 'k'.repeat(200)],
  ])('accepts %s', (_, key) => {
    expect(() => check(key)).not.toThrow();
  });

  test.each([
    ['an empty string', ''],
    ['201 characters', 'k'.repeat(201)],
    ['a space inside', 'row 17'],
    ['a space at the end', 'row-17 '],
    ['a line break at the end', 'row-17\n'],
    ['a header break', 'row-17\r\nx-injected: 1'],
    ['a control character', 'row\u007f17'],
    ['a letter outside ASCII', 'réf-17'],
    ['a number', 17],
    ['null', null],
    ['an object', { toString: () => 'row-17' }],
  ])('rejects %s', (_, key) => {
    expect(thrown(() => check(key)).message).toBe(problem);
  });

  test('never quotes the key', () => {
    expect(thrown(() => check('sk-canary with a space')).message).not.toContain('canary');
  });
});
