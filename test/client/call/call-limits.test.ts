import { expect, test } from 'vitest';

import { limitsOf, loadTime } from '../../../src/client/call/api-request.ts';

const client = { timeout: 60_000 };
const limited = { ...client, totalTimeout: 90_000 };
const chat = { timeout: 600_000 };
const now = 1_000;

test.each([
  ['of the client', client, {}, {}, 60_000, Infinity, Infinity],
  ['of a client with totalTimeout', limited, {}, {}, 60_000, 90_000, 91_000],
  ['of an endpoint', limited, {}, chat, 600_000, 90_000, 91_000],
  ['of a call', limited, { timeout: 5, totalTimeout: 7 }, chat, 5, 7, 1_007],
  ['of a call whose options are undefined', limited, noOptions(), chat, 600_000, 90_000, 91_000],
  ['of a part of a call', limited, { deadline: 300 }, {}, 60_000, 90_000, 300],
  [
    'of a part of a call without totalTimeout',
    client,
    { deadline: Infinity },
    {},
    60_000,
    Infinity,
    Infinity,
  ],
] as const)('the limits %s', (_, config, options, endpoint, timeout, totalTimeout, deadline) => {
  expect(limitsOf(config, now, options, endpoint)).toEqual({ timeout, totalTimeout, deadline });
});

function noOptions() {
  return { timeout: undefined, totalTimeout: undefined, deadline: undefined };
}

test('a part of the client loads in the shorter of both times', () => {
  expect(loadTime(limitsOf(client, now))).toBe(60_000);
  expect(loadTime(limitsOf({ ...client, totalTimeout: 9 }, now))).toBe(9);
});
