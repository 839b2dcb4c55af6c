import { formatUsd } from '../account/money.ts';
import type { ExchangeSummary } from '../records.ts';

/** The longest text of a caller's that a line shows. */
const longest = 60;

/** An answer as a line of the command's log. Nothing secret is in it: no API key, prompt or query. */
export function logLine(answered: ExchangeSummary, time: Date): string {
  const { method, status, ms, chargeUsd, idempotencyKey, replay } = answered;
  // Verification addresses are secret, even here.
  const path = answered.path.replace(/^\/verify\/.*/, '/verify/…');
  const notes = [
    chargeUsd === undefined ? undefined : `$${replay ? 0 : formatUsd(chargeUsd)}`,
    answered.code,
    answered.stream ? 'stream' : undefined,
    idempotencyKey === undefined ? undefined : `key ${shortened(idempotencyKey)}`,
    replay ? 'replay' : undefined,
  ];
  const columns = [
    time.toTimeString().slice(0, 8),
    status,
    `${Math.round(ms)} ms`.padStart(7),
    `${method.padEnd(4)} ${shortened(path)}`,
    ...notes.filter((note) => note !== undefined),
  ];
  return columns.join('  ');
}

function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
