/** What the charges so far say about the price of the next request. */
import { toNano } from './amounts.ts';

/** What a request pays for. */
export interface PricedUnits {
  /** Requests with the same class have the same price per unit. */
  readonly priceClass: string;
  /** How many units the request pays for: images, seconds, characters. */
  readonly units: number;
}

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
  /** By route, the request whose turn it is. */
  readonly #turns = new Map<string, Turn>();
  /** The routes that have had a response. */
  readonly #answered = new Set<string>();

  /** What a request waits for before it tries again; undefined if it is its turn, or turns are over. */
  wait(route: string, request: string): Promise<void> | undefined {
    if (this.#answered.has(route)) return undefined;
    const turn = this.#turns.get(route);
    if (turn === undefined) this.#turns.set(route, newTurn(request));
    return turn && turn.request !== request ? turn.ended : undefined;
  }

  /** A request has a response. */
  answer(route: string): void {
    this.#answered.add(route);
    this.#end(route);
  }

  /** A request has failed, perhaps without a response. */
  leave(route: string, request: string): void {
    if (this.#turns.get(route)?.request === request) this.#end(route);
  }

  #end(route: string): void {
    this.#turns.get(route)?.end();
    this.#turns.delete(route);
  }
}

interface Turn {
  readonly request: string;
  readonly ended: Promise<void>;
  readonly end: () => void;
}

function newTurn(request: string): Turn {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { request, ended, end };
}
