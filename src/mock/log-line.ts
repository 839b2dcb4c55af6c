import { dollars } from './money.ts';
import type { Answered } from './records.ts';

/** Method and path are filled up to here, so that what follows stands in columns. */
const routeWidth = 47;

/** The longest text of a caller's that a line shows. */
const longest = 60;

/** An answer as a line of the command's log. Nothing secret is in it: no API key, prompt or query. */
export function logLine(answered: Answered, time: Date): string {
  const { method, status, ms, chargeUsd, idempotencyKey } = answered;
  // Verification addresses are secret, even here.
  const path = answered.path.replace(/^\/verify\/.*/, '/verify/…');
  const notes = [
    chargeUsd === undefined ? undefined : `$${dollars(chargeUsd)}`,
    answered.code,
    answered.stream ? 'stream' : undefined,
    idempotencyKey === undefined ? undefined : `key ${shortened(idempotencyKey)}`,
    answered.replay ? 'replay, not charged' : undefined,
  ];
  const columns = [
    time.toTimeString().slice(0, 8),
    `${method} ${shortened(path)}`.padEnd(routeWidth),
    status,
    `${Math.round(ms)} ms`.padStart(7),
    ...notes.filter((note) => note !== undefined),
  ];
  return columns.join('  ');
}

function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
