import { describe, expect, test } from 'vitest';

import { fold, mayBeCharged, next, nextChat } from '../../src/paid/life.ts';
import type { Intent, Life } from '../../src/paid/life.ts';

type LifeEvent = Parameters<typeof fold>[1];

const sent = { sent: 'same' };
const refused = { money: 'none' } as const;
const voided = { money: 'void' } as const;
const accepted = { receipt: {} };
const ended = { end: 'succeeded' };

/** The records, by what has happened. */
const states = {
  nothing: [],
  'sent, and refused': [sent, refused],
  'sent, and lost': [sent],
  'lost, and then refused when it was sent again': [sent, sent, refused],
  'lost twice, and then void': [sent, sent, voided],
  'sent, but the line is damaged': 'damaged',
  accepted: [sent, accepted],
  ended: [sent, accepted, ended],
  'sent with two params': [{ sent: 'other' }, sent],
  'accepted with one of two': [{ sent: 'other' }, sent, accepted],
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
  'no params': { hasParams: false },
} as const satisfies Record<string, Intent>;

/** What follows, by policy: one line for each record, and one column for each intent. */
const tables = [
  {
    policy: 'key',
    title: 'a task, which its key protects from a second charge',
    steps: `
                                              | same params     | other params    | same, forced    | other, forced   | continue          | continue, forced  | no params
nothing                                       | send            | send            | send            | send            | nothing_to_resume | nothing_to_resume | nothing_to_resume
sent, and refused                             | send            | send            | send            | send            | nothing_to_resume | nothing_to_resume | nothing_to_resume
sent, and lost                                | resend          | outcome_unknown | resend          | outcome_unknown | resend            | resend            | params_not_stored
lost, and then refused when it was sent again | resend          | outcome_unknown | resend          | outcome_unknown | resend            | resend            | params_not_stored
lost twice, and then void                     | send            | send            | send            | send            | nothing_to_resume | nothing_to_resume | nothing_to_resume
sent, but the line is damaged                 | resend          | resend          | resend          | resend          | resend            | resend            | params_not_stored
accepted                                      | wait            | outcome_unknown | wait            | outcome_unknown | wait              | wait              | wait
ended                                         | wait            | outcome_unknown | wait            | outcome_unknown | wait              | wait              | wait
sent with two params                          | outcome_unknown | outcome_unknown | outcome_unknown | outcome_unknown | outcome_unknown   | outcome_unknown   | outcome_unknown
accepted with one of two                      | outcome_unknown | outcome_unknown | outcome_unknown | outcome_unknown | wait              | wait              | wait
`,
  },
  {
    policy: 'place',
    title: 'a place on a page, which shows one task after the other',
    steps: `
                                              | same params        | other params       | same, forced    | other, forced   | continue          | continue, forced  | no params
nothing                                       | send               | send               | send            | send            | nothing_to_resume | nothing_to_resume | nothing_to_resume
sent, and refused                             | send               | send               | send            | send            | nothing_to_resume | nothing_to_resume | nothing_to_resume
sent, and lost                                | resend             | outcome_unknown    | resend          | outcome_unknown | resend            | resend            | params_not_stored
lost, and then refused when it was sent again | resend             | outcome_unknown    | resend          | outcome_unknown | resend            | resend            | params_not_stored
lost twice, and then void                     | send               | send               | send            | send            | nothing_to_resume | nothing_to_resume | nothing_to_resume
sent, but the line is damaged                 | resend             | resend             | resend          | resend          | resend            | resend            | params_not_stored
accepted                                      | generation_pending | generation_pending | send            | send            | wait              | wait              | wait
ended                                         | send               | send               | send            | send            | nothing_to_resume | nothing_to_resume | nothing_to_resume
sent with two params                          | outcome_unknown    | outcome_unknown    | outcome_unknown | outcome_unknown | outcome_unknown   | outcome_unknown   | outcome_unknown
accepted with one of two                      | generation_pending | generation_pending | send            | send            | wait              | wait              | wait
`,
  },
  {
    policy: 'chat',
    title: 'a chat, which no key protects from a second charge',
    steps: `
                                              | same params     | other params    | same, forced    | other, forced   | continue          | continue, forced  | no params
nothing                                       | send            | send            | send            | send            | nothing_to_resume | nothing_to_resume | nothing_to_resume
sent, and refused                             | send            | send            | send            | send            | nothing_to_resume | nothing_to_resume | nothing_to_resume
sent, and lost                                | chat_lost       | outcome_unknown | send            | outcome_unknown | chat_lost         | send              | chat_lost
lost, and then refused when it was sent again | chat_lost       | outcome_unknown | send            | outcome_unknown | chat_lost         | send              | chat_lost
lost twice, and then void                     | send            | send            | send            | send            | nothing_to_resume | nothing_to_resume | nothing_to_resume
sent, but the line is damaged                 | chat_lost       | chat_lost       | send            | send            | chat_lost         | send              | chat_lost
accepted                                      | done            | outcome_unknown | done            | outcome_unknown | done              | done              | done
ended                                         | done            | outcome_unknown | done            | outcome_unknown | done              | done              | done
sent with two params                          | outcome_unknown | outcome_unknown | outcome_unknown | outcome_unknown | outcome_unknown   | outcome_unknown   | outcome_unknown
accepted with one of two                      | outcome_unknown | outcome_unknown | outcome_unknown | outcome_unknown | done              | done              | done
`,
  },
] as const;

describe.each(tables)('$title', ({ policy, steps }) => {
  const [head = [], ...rows] = steps
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const decide = (life: Life, wanted: Intent) =>
    policy === 'chat' ? nextChat(life, wanted) : next(life, wanted, policy);

  test('has a decision for every record and every intent', () => {
    expect(head.slice(1)).toEqual(Object.keys(intents));
    expect(rows.map(([state]) => state)).toEqual(Object.keys(states));
  });

  test.each(
    Object.entries(states).flatMap(([state, events], row) =>
      Object.entries(intents).map(
        ([name, intent], column) => [state, name, rows[row]?.[column + 1], events, intent] as const,
      ),
    ),
  )('%s, then %s: %s', (_, __, step, events, intent) => {
    expect(decide(recordOf(events), intent)).toBe(step);
  });

  test('is never sent under another key while an earlier request may have been charged, unless the caller accepts that', () => {
    const records = Object.values(states).map(recordOf);
    const open = records.filter((life) => mayBeCharged(life) && !life.end);
    const unforced = Object.values<Intent>(intents).filter(({ isForced }) => !isForced);
    const decided = open.flatMap((life) => unforced.map((wanted) => decide(life, wanted)));
    expect(decided).not.toContain('send');
  });
});

test('a chat that may have been charged is sent again only if its caller accepts that, and its params are known', () => {
  const lost = recordOf(states['sent, and lost']);
  expect(nextChat(lost, { hasParams: false, isForced: true })).toBe('params_not_stored');
});

test('a refusal takes back one submission, and never more than there were', () => {
  expect(fold(fold({}, refused), sent)).toMatchObject({ open: 1 });
  expect(mayBeCharged(recordOf([sent, sent, refused]))).toBe(true);
  expect(mayBeCharged(recordOf([sent, sent, refused, refused]))).toBe(false);
  expect(mayBeCharged(recordOf([sent, accepted, refused]))).toBe(true);
  expect(mayBeCharged(recordOf([...states['sent with two params'], voided]))).toBe(true);
  expect(recordOf([...states['sent with two params'], voided, voided, sent])).toMatchObject({
    open: 1,
    isContested: undefined,
  });
  expect(recordOf([sent, { money: 'unknown' }])).toEqual(recordOf([sent]));
});
