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

/** The same for a request of which only the price can be estimated; undefined if the number of units is not known. */
export function estimatedUnits(
  names: readonly unknown[],
  price: number,
  estimateUsd: ((prices: { readonly unitPriceUsd: number }) => number | undefined) | undefined,
): PricedUnits | undefined {
  // It costs as many USD as it has units if one costs 1 USD.
  const units = estimateUsd?.({ unitPriceUsd: 1 });
  return units ? pricedUnits(names, price, units) : undefined;
}

/**
 * The largest charge per unit so far, by price class, in billionths of a USD. A listed price is a belief, and a charge is a
 * fact, so a class whose charges are above its listed price reserves the largest one.
 */
export class LargestCharges {
  readonly #perUnit = new Map<string, number>();

  /** Learns what requests cost from a charge. Returns whether it is more than all before. */
  learn({ priceClass, units }: PricedUnits, nanoUsd: number): boolean {
    const isHigher = nanoUsd / units > (this.#perUnit.get(priceClass) ?? -1);
    if (isHigher) this.#perUnit.set(priceClass, nanoUsd / units);
    return isHigher;
  }

  /** What a request may cost, judged by the charges so far, which can be 0; undefined before the first one. */
  known({ priceClass, units }: PricedUnits): number | undefined {
    const perUnit = this.#perUnit.get(priceClass);
    return perUnit === undefined ? undefined : toNano((perUnit * units) / 1e9);
  }

  /** Like `known`, but 0 before the first charge, or without units. */
  largest(units: PricedUnits | undefined): number {
    return (units && this.known(units)) ?? 0;
  }
}

/** What the holders of one price class have reserved. */
interface ClassShares {
  /** Those that have reserved more than the largest charge of the class. */
  readonly higher: Set<string>;
  /** What all others pay for: they reserve the largest charge. */
  units: number;
}

/**
 * What holders have reserved, in billionths of a USD: each its own amount, and at least what its class was charged. A new largest
 * charge only visits holders that had reserved more until then, so that it is fast however many there are.
 */
export class ReservedSums extends LargestCharges {
  readonly #shares = new Map<string, { nanoUsd: number; units: PricedUnits | undefined }>();
  readonly #classes = new Map<string, ClassShares>();
  #total = 0;

  /** The sum of all reservations. */
  get total(): number {
    return this.#total;
  }

  /** How many units others pay for that reserve the largest charge of the class, and nothing before the first one. */
  unitsAtLargest({ priceClass }: PricedUnits, except: string): number {
    const own = this.unitsOf(except);
    const all = this.#classes.get(priceClass)?.units ?? 0;
    return all - (own?.priceClass === priceClass ? own.units : 0);
  }

  amountOf(holder: string): number {
    const { nanoUsd, units } = this.#shares.get(holder) ?? { nanoUsd: 0 };
    return Math.max(nanoUsd, this.largest(units));
  }

  /** What a holder pays for, if that is known. */
  unitsOf(holder: string): PricedUnits | undefined {
    return this.#shares.get(holder)?.units;
  }

  /** Replaces what a holder has reserved. Without `units`, it pays for the same as before. */
  set(holder: string, nanoUsd: number, given?: PricedUnits): void {
    const units = this.#mostOf(holder, given);
    this.delete(holder);
    this.#shares.set(holder, { nanoUsd, units });
    if (units !== undefined && nanoUsd <= this.largest(units)) return this.#addUnits(units, 1);
    this.#total += nanoUsd;
    if (units !== undefined) this.#sharesOf(units).higher.add(holder);
  }

  delete(holder: string): void {
    const share = this.#shares.get(holder);
    if (share === undefined) return;
    const { nanoUsd, units } = share;
    this.#shares.delete(holder);
    if (units === undefined || this.#sharesOf(units).higher.delete(holder)) this.#total -= nanoUsd;
    else this.#addUnits(units, -1);
  }

  override learn(units: PricedUnits, nanoUsd: number): boolean {
    const shares = this.#sharesOf(units);
    const ofClass = { priceClass: units.priceClass, units: shares.units };
    const before = this.largest(ofClass);
    if (!super.learn(units, nanoUsd)) return false;
    this.#total += this.largest(ofClass) - before;
    for (const holder of Array.from(shares.higher)) {
      this.set(holder, this.#shares.get(holder)?.nanoUsd ?? 0);
    }
    return true;
  }

  /** The requests of a holder are charged once. In one class, that with the most units may be the one. */
  #mostOf(holder: string, given: PricedUnits | undefined): PricedUnits | undefined {
    const before = this.unitsOf(holder);
    if (before === undefined || given === undefined) return given ?? before;
    const isLess = before.priceClass === given.priceClass && before.units > given.units;
    return isLess ? before : given;
  }

  #addUnits({ priceClass, units }: PricedUnits, sign: 1 | -1): void {
    const shares = this.#sharesOf({ priceClass, units });
    const before = this.largest({ priceClass, units: shares.units });
    shares.units += sign * units;
    this.#total += this.largest({ priceClass, units: shares.units }) - before;
  }

  #sharesOf({ priceClass }: PricedUnits): ClassShares {
    const known = this.#classes.get(priceClass);
    if (known) return known;
    const shares = { higher: new Set<string>(), units: 0 };
    this.#classes.set(priceClass, shares);
    return shares;
  }
}
