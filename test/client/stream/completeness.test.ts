import { expect, test } from 'vitest';

import { Completeness } from '../../../src/client/stream/completeness.ts';
import { StreamError } from '../../../src/index.ts';

/** A chunk with one choice per finish reason, in order of their indexes. */
const chunk = (...reasons: (string | null)[]) => ({
  choices: reasons.map((reason, index) => ({ index, delta: {}, finish_reason: reason })),
});
const second = (reason: string | null) => ({
  choices: [{ index: 1, delta: {}, finish_reason: reason }],
});

test.each([
  ['no chunk', 1, [], false],
  ['a chunk without choices', 1, [chunk()], false],
  ['no finish reason', 1, [chunk(null)], false],
  ['an empty finish reason', 1, [chunk('')], false],
  ['a finish reason', 1, [chunk('stop')], true],
  ['an empty finish reason before the last chunk', 1, [chunk(''), chunk('stop')], true],
  ['a chunk without finish reason after the last one', 1, [chunk('stop'), chunk(null)], true],
  ['one of two requested choices', 2, [chunk('stop')], false],
  ['two of two requested choices, one of them unfinished', 2, [chunk('stop', null)], false],
  ['two of two requested choices', 2, [chunk('stop'), second('length')], true],
  ['one of two choices, of which one was requested', 1, [chunk(null), second('stop')], false],
  ['a finish reason, if no choice was requested', 0, [chunk('stop')], true],
  ['no chunk, if no choice was requested', 0, [], false],
  ['a finish reason, if the number of choices is unknown', undefined, [chunk('stop')], false],
] as const)('without [DONE]: %s', (_, choiceCount, chunks, isProven) => {
  const completeness = new Completeness(choiceCount);
  for (const received of chunks) completeness.add(received);
  expect(completeness.isProven).toBe(isProven);
});

test.each([1, undefined])(
  'an error that the service reports ends a stream of %s choices',
  (count) => {
    const completeness = new Completeness(count);
    completeness.addError(undefined);
    completeness.add(chunk(null));
    expect(completeness.isProven).toBe(false);
    const first = new StreamError('overloaded');
    completeness.addError(first);
    completeness.addError(new StreamError('later'));
    expect(completeness.isProven).toBe(true);
    expect(completeness.reported).toBe(first);
  },
);
