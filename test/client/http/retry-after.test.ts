import { describe, expect, test } from 'vitest';

import { parseRetryAfter } from '../../../src/client/http/response-meta.ts';

const now = Date.parse('2026-05-01T00:00:00Z');

function read(value: string | undefined, date?: string): number | undefined {
  const headers = new Headers();
  if (value !== undefined) headers.set('retry-after', value);
  if (date !== undefined) headers.set('date', date);
  return parseRetryAfter(headers, now);
}

describe('Retry-After', () => {
  test.each([
    ['1', 1_000],
    ['120', 120_000],
    [' 3 ', 3_000],
    ['007', 7_000],
  ])('%j is parsed as seconds', (value, ms) => {
    expect(read(value)).toBe(ms);
  });

  test.each([
    ['1.5', 1_500],
    ['0.25', 250],
    ['2.0', 2_000],
    ['3, 3', 3_000],
    ['1, 5', 5_000],
  ])('%j is parsed as decimal seconds', (value, ms) => {
    expect(read(value)).toBe(ms);
  });

  test.each([
    ['the preferred form', 'Fri, 01 May 2026 00:01:30 GMT'],
    ['the form of RFC 850', 'Friday, 01-May-26 00:01:30 GMT'],
    ["the form of C's asctime", 'Fri May  1 00:01:30 2026'],
  ])('a date in %s is relative to the current time', (_, value) => {
    expect(read(value)).toBe(90_000);
  });

  test.each([
    ['an hour ahead', 'Fri, 01 May 2026 01:00:00 GMT', 'Fri, 01 May 2026 01:00:30 GMT'],
    ['an hour behind', 'Thu, 30 Apr 2026 23:00:00 GMT', 'Thu, 30 Apr 2026 23:00:30 GMT'],
    ['behind, in another form', 'Thursday, 30-Apr-26 23:00:00 GMT', 'Thu Apr 30 23:00:30 2026'],
  ])("a date is relative to the server's clock: %s", (_, date, value) => {
    expect(read(value, date)).toBe(30_000);
  });

  test('an invalid Date header is ignored in favor of the local clock', () => {
    expect(read('Fri, 01 May 2026 00:00:10 GMT', 'today')).toBe(10_000);
  });

  test('a Date header does not change seconds', () => {
    expect(read('5', 'Fri, 01 May 2026 01:00:00 GMT')).toBe(5_000);
  });

  test.each([
    'Thu, 30 Apr 2026 23:59:59 GMT',
    'Fri, 01 May 2026 00:00:00 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ])('the past date %j is treated as absent', (value) => {
    expect(read(value)).toBeUndefined();
  });

  test("a date in the past by the server's clock is treated as absent", () => {
    const date = 'Fri, 01 May 2026 01:00:00 GMT';
    expect(read('Fri, 01 May 2026 00:30:00 GMT', date)).toBeUndefined();
  });

  test.each([
    undefined,
    '',
    '-1',
    '-0.5',
    '+5',
    'soon',
    '5 seconds',
    '5s',
    '1,5',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    '1.2.3',
    '5; 6',
    'Fri, 99 May 2026 00:01:30 GMT',
    'Fri, 01 Foo 2026 00:01:30 GMT',
    '2026-05-01T00:01:30Z',
    '05/01/2026',
    'GMT',
    'Fri',
  ])('%j is treated as absent', (value) => {
    expect(read(value)).toBeUndefined();
  });

  test('100 KB of hostile text is rejected in linear time', () => {
    for (const value of ['1'.repeat(1e5) + 'x', '1.'.repeat(5e4), `Fri,${' '.repeat(1e5)}1 GMT`]) {
      expect(read(value)).toBeUndefined();
    }
  });
});
