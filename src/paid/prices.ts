/** What the charges so far say about the price of the next request. */
import { roundUsd, toNano } from './amounts.ts';

/** What a request pays for. */
export interface PricedUnits {
  /** Requests with the same class have the same price per unit. */
  readonly priceClass: string;
  /** How many units the request pays for: images, seconds, characters. */
  readonly units: number;
}

/**
 * What a request with this listed price in USD pays for. A listed price per unit is that of one class, such as a resolution of a
 * model, which `names` identify.
 */
export const pricedUnits = (names: readonly unknown[], price: number, units: number) => ({
  priceClass: JSON.stringify([...names, roundUsd(price / units)]),
  units,
});

/**
 * The largest charge per unit so far, by price class, in billionths of a USD. A listed price is a belief, and a charge is a
 * fact, so a class whose charges are above its listed price reserves the largest one.
 */
export class LargestCharges {
  readonly #perUnit = new Map<string, number>();

  /** Records what a request was charged. Returns whether that is more than before. */
  add({ priceClass, units }: PricedUnits, nanoUsd: number): boolean {
    const perUnit = nanoUsd / units;
    if (perUnit <= (this.#perUnit.get(priceClass) ?? 0)) return false;
    this.#perUnit.set(priceClass, perUnit);
    return true;
  }

  /** What a request may cost, judged by the charges so far: 0 before the first one. */
  of({ priceClass, units }: PricedUnits): number {
    return toNano(((this.#perUnit.get(priceClass) ?? 0) * units) / 1e9);
  }
}

/**
 * Sends requests of which nothing is known about their price one at a time, until the first one of their route has a
 * response. Twenty parallel videos could otherwise pass a limit that covers none of them.
 */
export class RouteTurns {
  /** By route, the requests in their order, and what wakes each. It is the turn of the first one. */
  readonly #queues = new Map<string, Map<string, () => void>>();
  /** The routes that have had a response. */
  readonly #answered = new Set<string>();

  /** What a request waits for before it tries again; undefined if it is its turn, or turns are over. */
  wait(route: string, request: string): Promise<void> | undefined {
    if (this.#answered.has(route)) return undefined;
    const queue = this.#queues.get(route) ?? new Map<string, () => void>();
    this.#queues.set(route, queue);
    const [first = request] = queue.keys();
    if (first !== request) return new Promise((resolve) => void queue.set(request, resolve));
    queue.set(request, () => {});
    return undefined;
  }

  /** A request has a response. */
  answer(route: string): void {
    this.#answered.add(route);
    const queue = this.#queues.get(route);
    this.#queues.delete(route);
    for (const wake of queue?.values() ?? []) wake();
  }

  /** A request has failed, perhaps without a response. Only the next one is woken, because all others would wait again. */
  leave(route: string, request: string): void {
    const queue = this.#queues.get(route);
    const [first] = queue?.keys() ?? [];
    queue?.delete(request);
    const [wake] = queue?.values() ?? [];
    if (first === request) wake?.();
    if (queue?.size === 0) this.#queues.delete(route);
  }
}
