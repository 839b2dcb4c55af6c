import { describe, expect, test } from 'vitest';

import { createMockGateway } from '../../src/mock/index.ts';
import { codeIs, errorCodes } from '../../src/wire/codes.ts';
import type { CodeTrait } from '../../src/wire/codes.ts';
import type { ErrorDetail } from '../../src/wire/types/catalog/errors.ts';
import { codes as specified } from '../coverage/specification.ts';

const all: CodeTrait[] = [
  'permanent',
  'uncertain',
  'void',
  'conflict',
  'model',
  'task',
  'api-key',
  'user',
];
const listed = Object.keys(errorCodes);
const withTrait = (trait: CodeTrait) => listed.filter((code) => codeIs(code, trait));

test('every code of the specification is listed', () => {
  expect(listed).toEqual(expect.arrayContaining([...specified]));
});

test.each(Object.entries<readonly [number, ...CodeTrait[]]>(errorCodes))(
  '%s has the traits that the table lists, and no others',
  (code, [, ...traits]) => {
    expect(all.filter((trait) => codeIs(code, trait)).toSorted()).toEqual(traits.toSorted());
  },
);

test('the reference gateway sends each code with the status that the table lists', async () => {
  const mock = createMockGateway();
  const response = await mock.fetch(`${mock.baseURL}/v1/errors`);
  const { data }: { data: ErrorDetail[] } = await response.json();
  const sent = new Map(data.map(({ code = '', httpStatus }) => [code, httpStatus]));
  const ofProxy = ['attempt_repeated', 'user_limit_exceeded'];
  const ofService = Object.entries(errorCodes).filter(([code]) => !ofProxy.includes(code));
  for (const [code, [status]] of ofService) {
    expect([code, sent.get(code)]).toEqual([code, status]);
  }
  // The client follows their status only.
  expect([...sent.keys()].filter((code) => !listed.includes(code))).toEqual([
    'not_found',
    'method_not_allowed',
    'request_too_large',
    'not_implemented',
    'result_not_found',
    'result_expired',
  ]);
});

test('only a code that cannot be about something that has disappeared proves a request invalid', () => {
  expect(withTrait('void')).toEqual(['invalid_idempotency_key']);
});

test('a code leaves the outcome open or is permanent, never both', () => {
  expect(withTrait('uncertain').filter((code) => codeIs(code, 'permanent'))).toEqual([]);
});

describe('a code that is not listed', () => {
  test.each<[string | undefined, CodeTrait[]]>([
    ['invalid_prompt', ['permanent']],
    ['voice_not_found', ['permanent']],
    ['key_conflict', ['permanent', 'conflict']],
    ['conflict', ['conflict']],
    ['voice_create_outcome_uncertain', ['uncertain']],
    ['task_expired', ['task']],
    ['rate_limited', []],
    ['constructor', []],
    ['', []],
    [undefined, []],
  ])('%s has the traits %j', (code, traits) => {
    expect(all.filter((trait) => codeIs(code, trait))).toEqual(traits);
  });
});
