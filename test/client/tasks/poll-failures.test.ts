import { expect, test } from 'vitest';

import { emptyMeta } from '../../../src/client/http/response-meta.ts';
import { canPollLater } from '../../../src/client/tasks/poll-decisions.ts';
import {
  AbortedError,
  APIError,
  ConfigurationError,
  ConnectionError,
  ResponseValidationError,
} from '../../../src/index.ts';

const failed = (status: number) => new APIError(String(status), { meta: emptyMeta(status) });
const invalid = (body: unknown) =>
  new ResponseValidationError('invalid', { meta: emptyMeta(200), body });

test.each<[string, 'continues' | 'ends', error: unknown, notFoundInRow: number]>([
  ['a lost connection', 'continues', new ConnectionError('reset'), 0],
  ['a 408', 'continues', failed(408), 0],
  ['a 429', 'continues', failed(429), 0],
  ['a 500', 'continues', failed(500), 0],
  ['a 503', 'continues', failed(503), 0],
  ['the first 404', 'continues', failed(404), 1],
  ['the second 404 in a row', 'continues', failed(404), 2],
  ['the third 404 in a row', 'ends', failed(404), 3],
  ['a 401', 'ends', failed(401), 0],
  ['a 403', 'ends', failed(403), 0],
  ['a 410', 'ends', failed(410), 0],
  ['a redirect', 'ends', failed(302), 0],
  ['a body that is no JSON', 'continues', invalid('<html>'), 0],
  ['a body that is a list', 'continues', invalid([]), 0],
  ['a record that is invalid', 'ends', invalid({ status: 'succeeded' }), 0],
  ['an abort', 'ends', new AbortedError('aborted'), 0],
  ['a task id that is not safe in a path', 'ends', new ConfigurationError('unsafe'), 0],
  ['a bug', 'ends', new TypeError('bug'), 0],
])('after %s, a wait %s', (_, expected, error, notFoundInRow) => {
  expect(canPollLater(error, notFoundInRow)).toBe(expected === 'continues');
});
