import { describe, expect, test } from 'vitest';

import { Row } from '../../../src/client/batch/row.ts';
import type { RowState } from '../../../src/client/batch/row.ts';

const steps = {
  identify: (row: Row) => row.identify('a', {}),
  resume: (row: Row) => row.resume(undefined),
  setKey: (row: Row) => row.setKey('key'),
  record: (row: Row) => row.record(),
  markSent: (row: Row) => row.markSent(),
  markUnsent: (row: Row) => row.markUnsent(),
  accept: (row: Row) => row.accept(undefined),
  makeDurable: (row: Row) => row.makeDurable(),
};
type Step = keyof typeof steps;

/** The steps that lead to each state. */
const pathTo: Readonly<Record<RowState, readonly Step[]>> = {
  planned: [],
  recorded: ['record'],
  sent: ['record', 'markSent'],
  accepted: ['record', 'markSent', 'accept'],
  durable: ['record', 'markSent', 'accept', 'makeDurable'],
};
const states = ['planned', 'recorded', 'sent', 'accepted', 'durable'] as const;

function rowAfter(...path: readonly Step[]): Row {
  const row = new Row('a');
  for (const step of path) steps[step](row);
  return row;
}

/** The state after a step from planned, recorded, sent, accepted and durable; undefined where it throws. */
type Ends = readonly (RowState | undefined)[];

describe.each<[Step, Ends]>([
  ['identify', ['planned', undefined, undefined, undefined, undefined]],
  ['resume', ['durable', undefined, undefined, undefined, undefined]],
  ['setKey', ['planned', undefined, undefined, undefined, undefined]],
  ['record', ['recorded', undefined, undefined, undefined, undefined]],
  ['markSent', [undefined, 'sent', 'sent', undefined, undefined]],
  ['markUnsent', ['planned', 'recorded', 'recorded', 'accepted', 'durable']],
  ['accept', [undefined, 'accepted', 'accepted', undefined, undefined]],
  ['makeDurable', [undefined, undefined, undefined, 'durable', undefined]],
])('%s', (step, ends) => {
  test.each(states.map((state, index) => ({ state, end: ends[index] })))(
    'from $state leads to $end',
    ({ state, end }) => {
      const row = rowAfter(...pathTo[state]);
      if (end === undefined) {
        expect(() => steps[step](row)).toThrow(`${step}() of row a, which is ${state}.`);
        expect(row.state).toBe(state);
      } else {
        steps[step](row);
        expect(row.state).toBe(end);
      }
    },
  );
});

test.each<[string, readonly Step[], RowState]>([
  [
    'a row whose first attempt was rejected is accepted at the second',
    ['record', 'markSent', 'markUnsent', 'markSent', 'accept', 'makeDurable'],
    'durable',
  ],
  [
    'a row whose first attempt has an unknown outcome is sent again',
    ['record', 'markSent', 'markSent', 'accept'],
    'accepted',
  ],
  [
    'a row to which a hook has responded was not sent, and is accepted',
    ['record', 'accept', 'makeDurable'],
    'durable',
  ],
  [
    'a row that waits for a slot several times is recorded once',
    ['markUnsent', 'record', 'markUnsent', 'markSent'],
    'sent',
  ],
])('%s', (_, path, end) => {
  expect(rowAfter(...path).state).toBe(end);
});
