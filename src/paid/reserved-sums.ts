import { LargestCharges } from './prices.ts';
import type { PricedUnits } from './prices.ts';

/** What a holder has reserved itself. */
interface Share {
  readonly nanoUsd: number;
  readonly units: PricedUnits | undefined;
}

/** What the holders of one price class have reserved. */
interface ClassShares<Holder> {
  /** Those that have reserved more than the largest charge of the class. */
  readonly higher: Set<Holder>;
  /** What all others pay for: they reserve the largest charge. */
  units: number;
}

/**
 * What holders have reserved, in billionths of a USD: each its own amount, and at least what its class was charged. A new largest
 * charge only visits holders that had reserved more until then, so that it is fast however many there are.
 */
export class ReservedSums<Holder> {
  readonly #largest = new LargestCharges();
  readonly #shares = new Map<Holder, Share>();
  readonly #classes = new Map<string, ClassShares<Holder>>();
  #total = 0;

  /** The sum of all reservations. */
  get total(): number {
    return this.#total;
  }

  /** What a request may cost, judged by the charges so far: 0 before the first one. */
  largest(units: PricedUnits | undefined): number {
    return units === undefined ? 0 : this.#largest.of(units);
  }

  amountOf(holder: Holder): number {
    const { nanoUsd, units } = this.#shares.get(holder) ?? { nanoUsd: 0 };
    return Math.max(nanoUsd, this.largest(units));
  }

  /** What a holder pays for, if that is known. */
  unitsOf(holder: Holder): PricedUnits | undefined {
    return this.#shares.get(holder)?.units;
  }

  /** Replaces what a holder has reserved. Without `units`, it pays for the same as before. */
  set(holder: Holder, nanoUsd: number, given?: PricedUnits): void {
    const units = this.#mostOf(holder, given);
    this.delete(holder);
    this.#shares.set(holder, { nanoUsd, units });
    if (units !== undefined && nanoUsd <= this.largest(units)) return this.#addUnits(units, 1);
    this.#total += nanoUsd;
    if (units !== undefined) this.#sharesOf(units).higher.add(holder);
  }

  delete(holder: Holder): void {
    const share = this.#shares.get(holder);
    if (share === undefined) return;
    const { nanoUsd, units } = share;
    this.#shares.delete(holder);
    if (units === undefined || this.#sharesOf(units).higher.delete(holder)) this.#total -= nanoUsd;
    else this.#addUnits(units, -1);
  }

  /** Learns what requests cost from a charge. */
  learn(units: PricedUnits, nanoUsd: number): void {
    const shares = this.#sharesOf(units);
    const ofClass = { priceClass: units.priceClass, units: shares.units };
    const before = this.largest(ofClass);
    if (!this.#largest.add(units, nanoUsd)) return;
    this.#total += this.largest(ofClass) - before;
    for (const holder of [...shares.higher]) {
      this.set(holder, this.#shares.get(holder)?.nanoUsd ?? 0);
    }
  }

  /** The requests of a holder are charged once. In one class, that with the most units may be the one. */
  #mostOf(holder: Holder, given: PricedUnits | undefined): PricedUnits | undefined {
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

  #sharesOf({ priceClass }: PricedUnits): ClassShares<Holder> {
    const shares = this.#classes.get(priceClass) ?? { higher: new Set<Holder>(), units: 0 };
    this.#classes.set(priceClass, shares);
    return shares;
  }
}
