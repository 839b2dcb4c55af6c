/** What breaks a rule today. Each has a minimal scenario, and is left out of the random ones until it is corrected. */
import type { Scenario } from './check.ts';
import type { Order } from './orders.ts';
import { scenario } from './scenarios.ts';

/** A rule that a book breaks. */
export interface Red {
  readonly books: readonly [string, ...string[]];
  readonly title: string;
  /** Undefined if it breaks the rule only sometimes. */
  readonly scenario?: Scenario;
  /** An order as random scenarios have it, so that they do not break the rule. */
  readonly avoid: (order: Order, scenario: Scenario) => Partial<Order>;
}

const withoutCharge = [
  'negative charge',
  'charge that is no number',
  'infinite charge',
  'no charge',
  'cut off without charge',
];
const failedWithCharge = ['cut off', '500 with charge', '402 with charge', '400 with charge'];
export const reds: readonly Red[] = [
  {
    books: ['queue'],
    title:
      'a row that has failed or is in flight counts its listed price although it has cost more',
    avoid: ({ model, fate }) =>
      ['low', 'free'].includes(model) && fate !== 'accepted' ? { model: 'right' } : {},
  },
  {
    books: ['client', 'client without prices', 'client that loads prices', 'client of a batch'],
    title:
      'of a key that the service charges several times, a success without a charge counts once',
    avoid: ({ fate }, { ignoresKeys }) =>
      ignoresKeys && withoutCharge.includes(fate) ? { key: undefined } : {},
  },
  {
    books: ['proxy', 'proxy on Redis'],
    title: 'a key that the service has forgotten or ignores is charged more than its first request',
    avoid: (_, { ignoresKeys, steps }) =>
      ignoresKeys || steps.some(({ forgets }) => forgets) ? { key: undefined } : {},
  },
  {
    books: ['batch'],
    title: 'what a lost row reserves more than its listed price is unknown to the next run',
    avoid: ({ model, fate }, { steps }) =>
      model === 'low' &&
      fate !== 'accepted' &&
      steps.some((step) => step.startsAnew || step.restarts)
        ? { model: 'right' }
        : {},
  },
  {
    books: ['batch'],
    title: 'a charge that a failed request reports is unknown to the next run',
    scenario: scenario(1, [[{ model: 'low', fate: 'cut off' }], [{}]]),
    avoid: ({ fate }) =>
      failedWithCharge.includes(fate) ? { fate: 'accepted', key: undefined } : {},
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
