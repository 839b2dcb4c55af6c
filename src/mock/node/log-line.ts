import { formatUsd } from '../account/money.ts';
import type { ExchangeSummary } from '../exchange.ts';

/** Maximum length of a path or idempotency key in a line. */
const maxLength = 60;

/** Formats a log line. It contains no API keys, prompts, query strings or verification tokens. */
export function logLine(exchange: ExchangeSummary, time: Date): string {
  const { method, status, ms, chargeUsd, idempotencyKey, replay } = exchange;
  // Verification URLs are secret.
  const path = exchange.path.replace(/^\/verify\/.*/, '/verify/…');
  const notes = [
    chargeUsd === undefined ? undefined : `$${replay ? 0 : formatUsd(chargeUsd)}`,
    exchange.code,
    exchange.stream ? 'stream' : undefined,
    idempotencyKey === undefined ? undefined : `key ${shorten(idempotencyKey)}`,
    replay ? 'replay' : undefined,
  ];
  const columns = [
    time.toTimeString().slice(0, 8),
    status,
    `${Math.round(ms)} ms`.padStart(7),
    `${method.padEnd(4)} ${shorten(path)}`,
    ...notes.filter((note) => note !== undefined),
  ];
  return columns.join('  ');
}

function shorten(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}
