/** Money that is set aside for requests whose charge is not known. Amounts are in billionths of a USD. */
import type { Verdict } from './verdict.ts';

/** What one holder has reserved, which is a key or a request: the highest amount of its parts. Most have one. */
export type Held = readonly Part[];

/** A request in flight; or one whose outcome is unknown, which is lost. */
interface Part {
  /** The request. If it was lost and nothing more can be reported about it, its body. */
  readonly id: string;
  readonly nanoUsd: number;
  /** The body of a lost request. */
  readonly lost?: string;
}

/** By holder. */
export type Holders = Map<string, Held>;

/** What a holder has reserved. */
export function amountOf(held: Held = []): number {
  let amount = 0;
  for (const { nanoUsd } of held) amount = Math.max(amount, nanoUsd);
  return amount;
}

/** The part of a request; undefined if it has reserved nothing. */
export const partOf = (held: Held | undefined, request: string): Part | undefined =>
  held?.find(({ id }) => id === request);

export const isInFlight = ({ lost }: Part): boolean => lost === undefined;

/** Reserves an amount for a request. */
export function hold(holders: Holders, holder: string, request: string, nanoUsd: number): void {
  holders.set(holder, withPart(holders.get(holder), { id: request, nanoUsd }));
}

/** A request may have been charged, and its outcome may still be reported. */
export function lose(holders: Holders, holder: string, request: string, body: string): void {
  const held = holders.get(holder);
  const part = partOf(held, request);
  if (part) holders.set(holder, withPart(held, { ...part, lost: body }));
}

/**
 * Ends the part of a request in the reservation of its holder. A success ends the whole reservation, because all requests of
 * a holder are charged once. `isCounted`: their key counted before, so that requests in flight have reserved another charge.
 */
export function settle(
  holders: Holders,
  holder: string,
  {
    request,
    body,
    money,
    isCounted,
  }: {
    readonly request: string;
    readonly body: string;
    readonly money: Verdict['money'];
    readonly isCounted?: boolean | undefined;
  },
): void {
  const held = holders.get(holder);
  if (held === undefined) return;
  // A result is that of all of them.
  const hasResult = money === 'charged' || money === 'accepted';
  if (hasResult && !isCounted) return void holders.delete(holder);
  const part = partOf(held, request);
  let rest: Held = held.filter((other) => other !== part && (!hasResult || isInFlight(other)));
  if (money === 'unknown' && part) {
    rest = withPart(rest, { id: `body ${body}`, nanoUsd: part.nanoUsd, lost: body });
  }
  if (money === 'void' && !rest.some(isInFlight)) rest = rest.filter(({ lost }) => lost !== body);
  if (rest.length > 0) holders.set(holder, rest);
  else holders.delete(holder);
}

/** Adds a part, or replaces that of the same id by one with the higher amount. */
function withPart(held: Held | undefined, part: Part): Held {
  // As for nearly all.
  if (held === undefined) return [part];
  const before = partOf(held, part.id);
  const nanoUsd = Math.max(part.nanoUsd, before?.nanoUsd ?? 0);
  // Not with a spread, which allocates more than the list needs.
  return held.filter((other) => other !== before).concat({ ...part, nanoUsd });
}
