import { ConfigurationError, ConnectionError } from 'polygate';
import { describe, expect, test } from 'vitest';

import { fold, mayBeCharged, next } from '../../src/paid/life.ts';
import type { Intent, Life } from '../../src/paid/life.ts';
import { isUncharged } from '../../src/paid/verdict.ts';

type LifeEvent = Parameters<typeof fold>[1];

const sent = { sent: 'same' };
const refused = 'refused';
const accepted = { receipt: {} };
const ended = { end: 'succeeded' };

/** The records, by what has happened. */
const states = {
  nothing: [],
  'sent, and refused': [sent, refused],
  'sent, and lost': [sent],
  'lost, and then refused when it was sent again': [sent, sent, refused],
  'sent, but the line is damaged': 'damaged',
  accepted: [sent, accepted],
  ended: [sent, accepted, ended],
} as const satisfies Record<string, readonly LifeEvent[] | 'damaged'>;

const recordOf = (events: readonly LifeEvent[] | 'damaged'): Life =>
  events === 'damaged' ? { open: 1 } : events.reduce<Life>(fold, {});

/** What is wanted. A result that has expired is one that has ended, and is continued. */
const intents = {
  'same params': { fingerprint: 'same' },
  'other params': { fingerprint: 'other' },
  'same, forced': { fingerprint: 'same', isForced: true },
  'other, forced': { fingerprint: 'other', isForced: true },
  continue: { hasParams: true },
  'continue, forced': { hasParams: true, isForced: true },
  'continue without params': { hasParams: false },
} as const satisfies Record<string, Intent>;

type Row = readonly [state: keyof typeof states, ...steps: string[]];

const tables: readonly (readonly [
  string,
  (life: Life, intent: Intent) => string,
  readonly Row[],
])[] = [
  [
    'a task, which its key protects from a second charge',
    (life, wanted) => next(life, wanted, 'key'),
    [
      // same, other, same forced, other forced, continue, continue forced, continue without params
      [
        'nothing',
        'send',
        'send',
        'send',
        'send',
        'nothing_to_resume',
        'nothing_to_resume',
        'nothing_to_resume',
      ],
      [
        'sent, and refused',
        'send',
        'send',
        'send',
        'send',
        'nothing_to_resume',
        'nothing_to_resume',
        'nothing_to_resume',
      ],
      [
        'sent, and lost',
        'resend',
        'outcome_unknown',
        'resend',
        'outcome_unknown',
        'resend',
        'resend',
        'params_not_stored',
      ],
      [
        'lost, and then refused when it was sent again',
        'resend',
        'outcome_unknown',
        'resend',
        'outcome_unknown',
        'resend',
        'resend',
        'params_not_stored',
      ],
      [
        'sent, but the line is damaged',
        'resend',
        'resend',
        'resend',
        'resend',
        'resend',
        'resend',
        'params_not_stored',
      ],
      ['accepted', 'wait', 'outcome_unknown', 'wait', 'outcome_unknown', 'wait', 'wait', 'wait'],
      ['ended', 'wait', 'outcome_unknown', 'wait', 'outcome_unknown', 'wait', 'wait', 'wait'],
    ],
  ],
  [
    'a place on a page, which shows one task after the other',
    (life, wanted) => next(life, wanted, 'place'),
    [
      [
        'nothing',
        'send',
        'send',
        'send',
        'send',
        'nothing_to_resume',
        'nothing_to_resume',
        'nothing_to_resume',
      ],
      [
        'sent, and refused',
        'send',
        'send',
        'send',
        'send',
        'nothing_to_resume',
        'nothing_to_resume',
        'nothing_to_resume',
      ],
      [
        'sent, and lost',
        'resend',
        'outcome_unknown',
        'resend',
        'outcome_unknown',
        'resend',
        'resend',
        'params_not_stored',
      ],
      [
        'lost, and then refused when it was sent again',
        'resend',
        'outcome_unknown',
        'resend',
        'outcome_unknown',
        'resend',
        'resend',
        'params_not_stored',
      ],
      [
        'sent, but the line is damaged',
        'resend',
        'resend',
        'resend',
        'resend',
        'resend',
        'resend',
        'params_not_stored',
      ],
      [
        'accepted',
        'generation_pending',
        'generation_pending',
        'send',
        'send',
        'wait',
        'wait',
        'wait',
      ],
      [
        'ended',
        'send',
        'send',
        'send',
        'send',
        'nothing_to_resume',
        'nothing_to_resume',
        'nothing_to_resume',
      ],
    ],
  ],
];

describe.each(tables)('%s', (_, decide, rows) => {
  const names = Object.keys(intents) as (keyof typeof intents)[];
  test('has a decision for every record and every intent', () => {
    expect(rows.map(([state]) => state)).toEqual(Object.keys(states));
    for (const row of rows) expect(row).toHaveLength(1 + names.length);
  });

  test.each(
    rows.flatMap(([state, ...steps]) =>
      names.map((name, index) => [state, name, steps[index]] as const),
    ),
  )('%s, then %s: %s', (state, name, step) => {
    expect(decide(recordOf(states[state]), intents[name])).toBe(step);
  });

  test('is never sent under another key while an earlier request may have been charged, unless the caller accepts that', () => {
    const records = Object.values(states).map(recordOf);
    const open = records.filter((life) => mayBeCharged(life) && !life.end);
    const unforced = Object.values<Intent>(intents).filter(({ isForced }) => !isForced);
    const steps = open.flatMap((life) => unforced.map((wanted) => decide(life, wanted)));
    expect(steps).not.toContain('send');
  });
});

test('a refusal takes back one submission, and never more than there were', () => {
  expect(fold(fold({}, refused), sent)).toMatchObject({ open: 1 });
  expect(mayBeCharged(recordOf([sent, sent, refused]))).toBe(true);
  expect(mayBeCharged(recordOf([sent, sent, refused, refused]))).toBe(false);
  expect(mayBeCharged(recordOf([sent, accepted, refused]))).toBe(true);
});

test.each([
  [new ConnectionError('x', { outcome: 'not-sent' }), true],
  [new ConnectionError('x', { outcome: 'rejected' }), true],
  [new ConnectionError('x', { outcome: 'unknown' }), false],
  [new ConnectionError('x'), false],
  [new ConfigurationError('x'), true],
  [new ConfigurationError('x', { outcome: 'unknown' }), false],
  [new TypeError('fetch failed'), false],
  [undefined, false],
])('%j proves that nothing was charged: %s', (error, expected) => {
  expect(isUncharged(error)).toBe(expected);
});
