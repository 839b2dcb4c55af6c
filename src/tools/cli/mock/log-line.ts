import { formatUsd } from '../../../mock/account/money.ts';
import type { ExchangeSummary } from '../../../mock/index.ts';

/** Maximum length of a path or idempotency key in a line. */
const maxLength = 60;

/**
 * Formats a log line. It contains no API keys, prompts, query strings or verification tokens. `faultName` is the name of
 * the injected fault that affected the request.
 */
export function logLine(exchange: ExchangeSummary, time: Date, faultName?: string): string {
  const { method, status, ms, idempotencyKey, replay } = exchange;
  // Verification URLs are secret.
  const path = exchange.path.replace(/^\/verify\/.*/, '/verify/…');
  const notes = [
    exchange.lost === undefined ? chargeNote(exchange) : lostNote(exchange),
    exchange.code,
    exchange.stream ? 'stream' : undefined,
    idempotencyKey === undefined ? undefined : `key ${shorten(idempotencyKey)}`,
    replay ? 'replay' : undefined,
    faultName === undefined ? undefined : `fault ${faultName}`,
  ];
  const columns = [
    time.toTimeString().slice(0, 8),
    status ?? '---',
    `${Math.round(ms)} ms`.padStart(7),
    `${method.padEnd(4)} ${shorten(path)}`,
    ...notes.filter((note) => note !== undefined),
  ];
  return columns.join('  ');
}

function chargeNote({ chargeUsd, replay }: ExchangeSummary): string | undefined {
  return chargeUsd === undefined ? undefined : `$${replay ? 0 : formatUsd(chargeUsd)}`;
}

/** Describes why the client has no response, and what it was charged. */
function lostNote({ lost, chargeUsd, replay, ...exchange }: ExchangeSummary): string {
  const charged = chargeUsd !== undefined && !replay ? `charged $${formatUsd(chargeUsd)}, ` : '';
  switch (lost) {
    case 'refused':
      return 'connection refused';
    case 'stalled':
      return `${charged}response withheld`;
    case 'disconnected':
      return `${charged}response lost: the client disconnected`;
    default:
      // A reset before the request was handled has no response to lose.
      return exchange.fault?.reset === 'before' ? 'connection reset' : `${charged}response lost`;
  }
}

function shorten(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}
