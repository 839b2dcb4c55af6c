import { chargeOf, isFailure, isOpen, recoveryOf } from '../../../shared/calls.ts';
import type { Call } from '../../../shared/calls.ts';
import type { Attempt } from '../../../shared/lab.ts';
import { usd } from '../parts/money.tsx';

/** What a call was charged, and why. Without an invoice, the charge of a lost response is unknown. */
export function describeCharge(call: Call, hasInvoice: boolean): string {
  const { attempts, key } = call;
  const charge = chargeOf(call);
  if (charge === undefined) return describeFree(attempts, hasInvoice);
  const charged = attempts.filter(({ chargedUsd }) => chargedUsd !== undefined);
  const [first] = charged;
  if (first === undefined || charged.length > 1) {
    return `Charged ${charged.length} times, ${usd(charge)} in total.`;
  }
  const position = attempts.indexOf(first) + 1;
  const refund = first.refundedUsd === undefined ? '' : ` ${usd(first.refundedUsd)} was refunded.`;
  return `Charged once: ${usd(charge)}, ${describeCharged(call, first, position, key)}${refund}`;
}

function describeCharged(
  call: Call,
  { state }: Attempt,
  position: number,
  key: string | undefined,
): string {
  const by = recoveryOf(call)?.by;
  const attempt = `by attempt ${position}`;
  if (by !== undefined) {
    const result = `Attempt ${call.attempts.indexOf(by) + 1} has the same idempotency key and got the result at no charge.`;
    return `${attempt}, whose response was lost. ${result}`;
  }
  switch (state) {
    case 'lost':
      return key === undefined
        ? `${attempt}, whose response was lost.`
        : `${attempt}, whose response was lost. The same idempotency key gets the result at no charge.`;
    case 'truncated':
      return `${attempt}, whose response ended early.`;
    case 'aborted':
      return `${attempt}, which the page stopped after the gateway had accepted it.`;
    case 'pending':
    case 'streaming':
      return `${attempt}, which is in progress.`;
    case 'completed':
      return `${attempt}.`;
  }
}

function describeFree(attempts: readonly Attempt[], hasInvoice: boolean): string {
  if (attempts.some(isOpen)) return 'Not charged so far.';
  const last = attempts.at(-1);
  if (last?.replay === true) {
    return 'Not charged: an earlier request with the same idempotency key was.';
  }
  const isLost = attempts.some(({ method, status }) => method === 'POST' && status === undefined);
  return isLost && !hasInvoice ? 'It may have been charged: no response arrived.' : 'Not charged.';
}

/** What an attempt led to, in a word or two. */
export function labelOf({ state, status, replay }: Attempt): string {
  switch (state) {
    case 'pending':
      return '…';
    case 'lost':
      return 'no response';
    case 'streaming':
      return 'streaming';
    case 'truncated':
      return 'truncated';
    case 'aborted':
      return 'aborted';
    case 'completed':
      return replay ? `${status} replay` : String(status);
  }
}

/** The color of an attempt. */
export function toneOf(attempt: Attempt): 'pending' | 'busy' | 'failed' | 'replay' | 'ok' {
  const { state, status = 0, replay } = attempt;
  if (isOpen(attempt) || state === 'aborted') return 'pending';
  if (status === 429 || status === 503) return 'busy';
  if (isFailure(attempt)) return 'failed';
  return replay ? 'replay' : 'ok';
}

/** Such as `3 polls, 1 failed`. */
export function countPolls(polls: readonly Attempt[]): string {
  const failed = polls.filter(isFailure).length;
  const count = polls.length === 1 ? '1 poll' : `${polls.length} polls`;
  return failed === 0 ? count : `${count}, ${failed} failed`;
}

/** A duration such as `350 ms` or `1.2 s`. */
export function formatMs(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** A time of day with milliseconds. */
export function formatTime(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  });
}
