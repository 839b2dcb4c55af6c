import {
  ConfigurationError,
  ConnectionError,
  RequestTimeoutError,
  TaskWaitTimeoutError,
} from 'polygate';
import { expect, test } from 'vitest';

import {
  canWaitLater,
  decideGenerate,
  decideResume,
  wasNotCharged,
} from '../../../src/integrations/react/store/decisions.ts';
import type { Entry } from '../../../src/integrations/react/store/entry.ts';
import { fingerprintOf } from '../../../src/integrations/react/store/entry.ts';
import { isUncharged } from '../../../src/internal.ts';

const unknown: Entry = { v: 1, key: 'k', fingerprint: 'same' };
const accepted: Entry = { ...unknown, receipt: { v: 1, kind: 'image', id: 'task_1' } };
const finished = {
  ...accepted,
  generation: { id: 'task_1', status: 'succeeded', urls: ['https://host.example/1'] },
} as unknown as Entry;

test.each([
  ['no generation', undefined, 'same', false, 'new'],
  ['a finished task', finished, 'same', false, 'new'],
  ['a pending task', accepted, 'same', false, 'generation_pending'],
  ['a pending task and other params', accepted, 'other', false, 'generation_pending'],
  ['a task that was stopped', accepted, 'same', true, 'new'],
  ['an unknown outcome', unknown, 'same', false, 'resend'],
  ['an unknown outcome with an error', unknown, 'same', true, 'resend'],
  ['an unknown outcome and other params', unknown, 'other', false, 'outcome_unknown'],
  ['an unknown outcome with an error and other params', unknown, 'other', true, 'outcome_unknown'],
] as const)('generate with %s', (_, entry, fingerprint, isAbandoned, decision) => {
  expect(decideGenerate(entry, fingerprint, isAbandoned)).toBe(decision);
});

test.each([
  ['no generation', undefined, false, 'nothing_to_resume'],
  ['a finished task', finished, true, 'nothing_to_resume'],
  ['a pending task', accepted, false, 'wait'],
  ['an unknown outcome', unknown, true, 'resend'],
  ['an unknown outcome without params', unknown, false, 'params_not_stored'],
] as const)('resume with %s', (_, entry, hasParams, decision) => {
  expect(decideResume(entry, hasParams)).toBe(decision);
});

test.each([
  [{ outcome: 'rejected' }, false, true],
  [{ outcome: 'not-sent' }, false, true],
  [{ outcome: 'unknown' }, false, false],
  [{ name: 'ConfigurationError' }, false, true],
  [{ name: 'ConfigurationError', outcome: 'unknown' }, false, false],
  [new TypeError('fetch failed'), false, false],
  [undefined, false, false],
  [{ outcome: 'rejected' }, true, false],
  [{ outcome: 'not-sent' }, true, false],
  [{ name: 'ConfigurationError' }, true, false],
])(
  'an error %j of a request that was sent before (%s) was not charged: %s',
  (error, isResent, expected) => {
    expect(wasNotCharged(error, isResent)).toBe(expected);
  },
);

test.each([
  new ConnectionError('x', { outcome: 'not-sent' }),
  new ConnectionError('x', { outcome: 'unknown' }),
  new ConnectionError('x'),
  new ConfigurationError('x'),
  new ConfigurationError('x', { outcome: 'unknown' }),
  new ConfigurationError('x', { outcome: 'rejected' }),
  new TypeError('x'),
  'x',
])('%j was not charged, as the client decides it in a batch', (error) => {
  expect(wasNotCharged(error, false)).toBe(isUncharged(error));
});

test('params with another text have another fingerprint', () => {
  const texts = Array.from({ length: 20_000 }, (_, index) => ({ prompt: `A harbor ${index}` }));
  expect(new Set(texts.map(fingerprintOf)).size).toBe(texts.length);
  expect(fingerprintOf({ a: 1 })).toBe(fingerprintOf({ a: 1 }));
});

test('a wait starts again only if the part of the client that waits could not be loaded', () => {
  const outages = [new ConnectionError('offline'), new RequestTimeoutError('slow')];
  for (const error of outages) expect(canWaitLater(error)).toBe(true);
  const ends = [new TaskWaitTimeoutError('late'), new ConfigurationError('id'), new Error('bug')];
  for (const error of [...ends, undefined]) expect(canWaitLater(error)).toBe(false);
});
