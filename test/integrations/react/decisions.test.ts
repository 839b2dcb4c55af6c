import {
  ConfigurationError,
  ConnectionError,
  RequestTimeoutError,
  TaskWaitTimeoutError,
} from 'polygate';
import { expect, test } from 'vitest';

import { fingerprintOf } from '../../../src/integrations/react/store/entry.ts';
import { canWaitLater } from '../../../src/integrations/react/store/errors.ts';

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
