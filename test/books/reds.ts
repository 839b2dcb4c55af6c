/** What breaks a rule today. Each has a minimal scenario, and is left out of the random ones until it is corrected. */
import type { Scenario } from './check.ts';
import type { Order } from './orders.ts';
import { scenario, times } from './scenarios.ts';

/** A rule that a book breaks. */
export interface Red {
  readonly books: readonly [string, ...string[]];
  readonly title: string;
  /** Undefined if it breaks the rule only sometimes. */
  readonly scenario?: Scenario;
  /** An order as random scenarios have it, so that they do not break the rule. */
  readonly avoid: (order: Order, scenario: Scenario) => Partial<Order>;
}

const unusable = ['negative charge', 'charge that is no number', 'infinite charge'];
const withoutCharge = [...unusable, 'no charge', 'cut off without charge'];
const failedWithCharge = ['cut off', '500 with charge', '402 with charge', '400 with charge'];
const clients: Red['books'] = ['client', 'client without prices', 'client of a batch'];
const isKeyed = ({ key }: Order) => key !== undefined;
const isRight = ({ steps }: Scenario) =>
  steps.every(({ orders }) => orders.every(({ model }) => model === 'right'));

export const reds: readonly Red[] = [
  {
    books: ['client that loads prices'],
    title: 'with a budget, the first request does not load the price list',
    scenario: scenario(0.05, [[{ units: 3 }]]),
    avoid: () => ({}),
  },
  {
    books: clients,
    title: 'a key that was charged for a request of unknown price is free for other bodies',
    scenario: scenario(0.02, [[{ key: 'k1', model: 'unlisted' }], [{ key: 'k1', body: 1 }]], {
      ignoresKeys: true,
    }),
    avoid: (each) => (isKeyed(each) && each.model === 'unlisted' ? { key: undefined } : {}),
  },
  {
    books: ['client without prices'],
    title: 'a key that was charged is free for other bodies',
    scenario: scenario(0.02, [[{ key: 'k1' }], [{ key: 'k1', body: 1 }]], { ignoresKeys: true }),
    avoid: () => ({ key: undefined }),
  },
  {
    books: clients,
    title: 'a charge that is no amount replaces what a lost request of its key has reserved',
    scenario: scenario(1, [
      [{ key: 'k1', units: 3, fate: 'lost after' }],
      [{ key: 'k1', fate: 'infinite charge' }],
    ]),
    avoid: (each) => (unusable.includes(each.fate) ? { fate: 'no charge' } : {}),
  },
  {
    books: clients,
    title: 'a success without a charge counts nothing if its key was charged for another body',
    scenario: scenario(1, [[{ key: 'k1' }], [{ key: 'k1', body: 1, fate: 'no charge' }]], {
      ignoresKeys: true,
    }),
    avoid: (each) =>
      isKeyed(each) && withoutCharge.includes(each.fate) ? { fate: 'accepted' } : {},
  },
  {
    books: ['proxy', 'proxy on Redis'],
    title: 'a replay without a charge hides the charge of its original, which arrives later',
    scenario: scenario(
      1,
      [[{ key: 'k1', model: 'low', isHeld: true }], [{ key: 'k1', model: 'low' }]],
      { replays: 'nothing' },
    ),
    avoid: (each, all) => (isKeyed(each) && !isRight(all) ? { isHeld: false } : {}),
  },
  {
    books: ['proxy', 'proxy on Redis'],
    title: 'a replay that reports the charge does not replace the estimate of its key',
    scenario: scenario(1, [
      [{ key: 'k1', model: 'low', fate: 'no charge' }],
      [{ key: 'k1', model: 'low' }],
    ]),
    avoid: (each, all) =>
      isKeyed(each) && !isRight(all) && withoutCharge.includes(each.fate)
        ? { fate: 'accepted' }
        : {},
  },
  {
    books: ['batch', 'queue'],
    title: 'a listed price of 0 passes a limit that is used up',
    scenario: scenario(0.02, [[{}], [{ model: 'free' }]]),
    avoid: ({ model }) => (model === 'free' ? { model: 'right' } : {}),
  },
  {
    books: ['batch', 'queue'],
    title: 'requests that cost more than listed reserve the listed price',
    scenario: scenario(0.03, [times(2, (body) => ({ body, model: 'low' }))], { slots: 1 }),
    avoid: ({ model }) => (model === 'low' ? { model: 'right' } : {}),
  },
  {
    books: ['batch', 'queue'],
    title: 'a row of unknown price that waits for a slot is not checked again before it is sent',
    avoid: ({ model }, { slots }) => (model === 'unlisted' && slots > 0 ? { model: 'right' } : {}),
  },
  {
    books: ['MCP server'],
    title: 'a call that waits for a slot is sent although the limit is used up by then',
    scenario: scenario(0.02, [times(2, (body) => ({ body, model: 'low' }))], { slots: 1 }),
    avoid: ({ model }, { slots }) => (model === 'low' && slots > 0 ? { model: 'right' } : {}),
  },
  {
    books: ['batch'],
    title: 'a charge that a failed request reports is unknown to the next run',
    scenario: scenario(1, [[{ model: 'low', fate: 'cut off' }], [{}]]),
    avoid: ({ fate }) => (failedWithCharge.includes(fate) ? { fate: 'accepted' } : {}),
  },
];

/** A random scenario without what a book does wrong today. */
export function withoutReds(book: string, given: Scenario): Scenario {
  const own = reds.filter(({ books }) => books.includes(book));
  const steps = given.steps.map((step) => ({
    ...step,
    orders: step.orders.map((each) =>
      own.reduce((left, { avoid }) => ({ ...left, ...avoid(left, given) }), each),
    ),
  }));
  return { ...given, steps };
}
