/** What follows from the requests of a chat, which no key protects from a second charge. */
import type { ChatCompletion } from 'polygate';

import { ConnectionError } from '../../../errors/call.ts';
import type { Verdict } from '../../../paid/verdict.ts';
import { errorRecord } from '../row.ts';
import type { RowState } from '../row.ts';
import { settlementOf, undecided } from './settlement.ts';
import { end } from './step.ts';
import type { Move, Step } from './step.ts';

/**
 * What follows from the completion of a chat. A replay can only be that of its own request, whose response was lost.
 */
export function afterChat(state: RowState, completion: ChatCompletion, verdict: Verdict): Step {
  const ended = { ...state, completion, error: undefined };
  const settlement = settlementOf(verdict);
  return { move: { from: 'submitting', to: 'succeeded', state: ended, settlement }, next: end };
}

/**
 * What follows for a chat whose worker has died or has lost its job after it was admitted: it may have been charged.
 */
export function afterLostChat(id: string, state: RowState): Step {
  const error = new ConnectionError(
    `The worker that sent the chat of row ${id} has died or was cut off, so the chat may have been charged. ` +
      'It is sent again only by queue.retry(id), and you may then pay for it a second time.',
    { outcome: 'unknown', reason: 'resend' },
  );
  const lost = { ...state, mayBeCharged: true, error: errorRecord(error, undefined) };
  return {
    move: { from: 'submitting', to: 'unknown', state: lost, settlement: undecided },
    next: end,
  };
}

/**
 * The step of a chat whose row another worker has recorded as lost in the meantime, because the worker that sent it was
 * cut off from Redis: what the response said replaces the unknown end. The job of the row has ended, so a rejected
 * chat, which would be waiting, ends: `retry` sends it again. Undefined if the response, too, leaves open whether the
 * chat was charged, and reports no charge.
 */
export function lateStep({ move }: Step): Step | undefined {
  const { state, settlement = undecided } = move;
  if (!state.completion && settlement.money === 'unknown') return undefined;
  const rejected = state.mayBeCharged ? 'unknown' : 'failed';
  const to = move.to === 'waiting' ? rejected : move.to;
  return { move: { ...move, from: 'unknown', to }, next: end };
}

/**
 * What is counted for a chat that no row can record anymore, in USD: the charge that its response has reported, or 0 for
 * a completion without one, because what was reserved has been spent already. Undefined if there is nothing to count.
 */
export function lateChargeOf({ state, settlement = undecided }: Move): number | undefined {
  if (settlement.money === 'charged') return settlement.usd;
  return state.completion ? 0 : undefined;
}
