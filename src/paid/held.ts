/** Money that is set aside for requests whose charge is not known. Amounts are in billionths of a USD. */
import type { Verdict } from './verdict.ts';

/** What one holder has reserved, which is a key or a request: the highest amount of its requests. */
export interface Held {
  /** The amounts of its requests in flight, by their ids. */
  readonly requests: Map<string, number>;
  /**
   * Its requests whose outcome is unknown. They are stored by their id if it was not known when they were lost, because it
   * may still be reported.
   */
  lost: Map<string, Lost>;
}

interface Lost {
  readonly body: string;
  readonly nanoUsd: number;
}

/** Of most holders, which never lose a request. */
const nothingLost: Held['lost'] = new Map();

/** By holder. */
export type Holders = Map<string, Held>;

/** What a holder has reserved. */
export function amountOf(held: Held | undefined): number {
  if (held === undefined) return 0;
  let amount = 0;
  for (const nanoUsd of held.requests.values()) amount = Math.max(amount, nanoUsd);
  for (const { nanoUsd } of held.lost.values()) amount = Math.max(amount, nanoUsd);
  return amount;
}

/** Reserves an amount for a request. */
export function hold(holders: Holders, holder: string, request: string, nanoUsd: number): void {
  const held = heldOf(holders, holder);
  held.requests.set(request, Math.max(nanoUsd, held.requests.get(request) ?? 0));
}

/** Keeps what a request may have cost whose outcome is unknown. */
export function lose(holders: Holders, holder: string, lost: Lost, id = `body ${lost.body}`): void {
  const held = heldOf(holders, holder);
  if (held.lost === nothingLost) held.lost = new Map();
  const { lost: others } = held;
  const nanoUsd = Math.max(lost.nanoUsd, others.get(id)?.nanoUsd ?? 0);
  others.set(id, { body: lost.body, nanoUsd });
}

/**
 * Ends the part of a request in the reservation of its holder. A success ends the whole reservation, because all requests of
 * a holder are charged once.
 */
export function settle(
  holders: Holders,
  holder: string,
  {
    request,
    body,
    money,
  }: { readonly request: string; readonly body: string; readonly money: Verdict['money'] },
): void {
  const held = holders.get(holder);
  if (held === undefined) return;
  // A result is that of all of them.
  if (money === 'charged' || money === 'accepted') return void holders.delete(holder);
  const { requests, lost } = held;
  const nanoUsd = requests.get(request) ?? lost.get(request)?.nanoUsd;
  requests.delete(request);
  lost.delete(request);
  if (money === 'unknown' && nanoUsd !== undefined) lose(holders, holder, { body, nanoUsd });
  if (money === 'void' && requests.size === 0) {
    for (const [id, other] of lost) if (other.body === body) lost.delete(id);
  }
  if (requests.size + held.lost.size === 0) holders.delete(holder);
}

function heldOf(holders: Holders, holder: string): Held {
  const held = holders.get(holder) ?? { requests: new Map(), lost: nothingLost };
  holders.set(holder, held);
  return held;
}
