/** Drives a book through a scenario, and compares what it says with the invoice. */
import { turns } from '../support/turns.ts';
import type { Book, BookKind, Usage } from './books.ts';
import type { Line } from './lines.ts';
import { sumOf } from './orders.ts';
import type { Order, Settings } from './orders.ts';
import type { Service } from './service.ts';

/** Orders that are sent at the same time, after something else has happened. */
export interface Step {
  readonly orders: readonly Order[];
  /** Whether the service forgets its keys before. */
  readonly forgets: boolean;
  /** Whether the process of the book is replaced before. */
  readonly restarts: boolean;
  /** Whether the window of the limit ends before, or the store forgets everything. */
  readonly startsAnew: boolean;
}

export interface Scenario extends Settings {
  readonly maxUsd: number;
  readonly steps: readonly Step[];
}

/** What a book has done at the end of a step. */
export interface Moment extends Usage {
  /** How many requests have arrived. */
  readonly arrived: number;
}

/**
 * What a book must count at least: every reported charge, and for each key the most expensive request that may have been
 * charged and about which nothing else is known, as far as its price was known.
 */
function floorOf(lines: readonly Line[]): number {
  const open = new Map<unknown, number>();
  const counted: number[] = [];
  for (const line of lines) {
    if (line.reported !== 'no' && isCharge(line, lines)) counted.push(line.usd);
    else if (!line.isResolved && (line.excuse !== 'free' || line.hasResult)) {
      const holder = line.key ?? line;
      const usd = Math.min(line.usd, line.expectedUsd ?? 0);
      open.set(holder, Math.max(open.get(holder) ?? 0, usd));
    }
  }
  return sumOf([...counted, ...open.values()]);
}

/** A replay reports one charge of a key, even if the service has charged it twice. */
const isCharge = (line: Line, lines: readonly Line[]): boolean =>
  line.reported === 'directly' ||
  !lines.some((other) => other !== line && line.key !== undefined && other.key === line.key);

/** What breaks a rule, when nothing is being sent. */
function problemsOf({ service }: Book, { spentUsd, reservedUsd }: Usage): string[] {
  const { current, limitUsd, violations } = service;
  const problems = [...violations];
  const said = sumOf([spentUsd, reservedUsd]);
  const floor = floorOf(current);
  if (said < floor - 1e-9) problems.push(`${said} USD are said to be used, and ${floor} USD are`);
  const excused = sumOf(service.excused.map(({ usd }) => usd));
  const isPriced = current.every(({ usd, expectedUsd = 0 }) => usd <= expectedUsd + 1e-9);
  const invoice = sumOf(current.map(({ usd }) => usd));
  if (isPriced && invoice > limitUsd + excused + 1e-9)
    problems.push(`${invoice} of ${limitUsd} USD were charged at the prices that were listed`);
  return problems;
}

const describeLine = ({
  usd,
  key,
  text,
  expectedUsd,
  excuse,
  reported,
  isResolved,
}: Line): string =>
  `${usd} USD for ${text} under ${key}, expected ${expectedUsd}, excuse ${excuse}, reported ${reported}${isResolved ? ', resolved' : ''}`;

/** Thrown if a book breaks a rule. */
export class BrokenRule extends Error {
  override readonly name = 'BrokenRule';
}

/** How many turns a book that waits for held responses is given before they arrive. */
const patience = 50;

/** Requests of a book that have not ended. */
class Outstanding {
  readonly #promises = new Set<Promise<unknown>>();

  add(promises: readonly Promise<unknown>[]): void {
    for (const promise of promises) {
      this.#promises.add(promise);
      void promise.then(() => this.#promises.delete(promise));
    }
  }

  /** Waits until all requests have ended, or their responses are held. */
  async rest(service: Service, { canHold, waits }: BookKind): Promise<void> {
    let idleTurns = 0;
    let before = Infinity;
    while (this.#promises.size > (canHold ? service.held : 0)) {
      await turns(1);
      const open = this.#promises.size - service.held;
      idleTurns = open < before ? 0 : idleTurns + 1;
      before = open;
      // A book can wait for one response before it sends the next request.
      if (waits && idleTurns > patience) service.release(1);
    }
    await turns(3);
  }
}

/** Runs a scenario. Returns what the book says after each step. */
export async function run(kind: BookKind, scenario: Scenario): Promise<readonly Moment[]> {
  const book = await kind.open(scenario, scenario.maxUsd);
  const { service } = book;
  const { canHold } = kind;
  const outstanding = new Outstanding();
  const moments: Moment[] = [];
  try {
    for (const [index, { orders, forgets, restarts, startsAnew }] of scenario.steps.entries()) {
      const heldBefore = service.held;
      if (forgets) service.forgetKeys();
      if (restarts) book.restart?.();
      if (startsAnew && book.startAnew) {
        await book.startAnew();
        service.endWindow();
      }
      service.announce(orders);
      outstanding.add(book.send(orders));
      await outstanding.rest(service, kind);
      service.release(canHold && index < scenario.steps.length - 1 ? heldBefore : Infinity);
      await outstanding.rest(service, kind);
      const usage = await book.usage();
      const problems = problemsOf(book, usage);
      if (problems.length > 0) {
        const lines = service.lines.map(describeLine).join('\n  ');
        const said = `${usage.spentUsd} spent, ${usage.reservedUsd} reserved`;
        throw new BrokenRule(
          `${kind.name}, step ${index}: ${problems.join('; ')} (${said})\n  ${lines}`,
        );
      }
      moments.push({ ...usage, arrived: service.arrived.length });
    }
    return moments;
  } finally {
    service.release(Infinity);
    await outstanding.rest(service, kind);
    book.close?.();
  }
}
