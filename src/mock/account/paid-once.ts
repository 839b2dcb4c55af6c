import type { InvoiceLine } from '../exchange.ts';

/**
 * Checks that a key was charged exactly once; without a key, that every charge has a key and that no
 * key was charged twice. Returns undefined if so, otherwise a message with the relevant charges.
 * Refunds are ignored: they do not undo a double charge.
 */
export function paidOnceProblem(
  invoice: readonly InvoiceLine[],
  key: string | undefined,
): string | undefined {
  const charges = invoice.filter((line) => line.kind === 'charge');
  if (key !== undefined) {
    const matching = charges.filter((line) => line.idempotencyKey === key);
    return matching.length === 1 ? undefined : problem(`The key ${key}`, matching, charges);
  }
  for (const line of charges) {
    const { idempotencyKey, user } = line;
    if (idempotencyKey === undefined) {
      return `A charge has no idempotency key, so a duplicate cannot be detected:\n${formatLine(line)}`;
    }
    const matching = charges.filter(
      (other) => other.idempotencyKey === idempotencyKey && other.user === user,
    );
    if (matching.length !== 1) return problem(`The key ${idempotencyKey}`, matching, charges);
  }
  return charges.length === 0 ? 'Nothing was charged' : undefined;
}

function problem(subject: string, matching: InvoiceLine[], charges: InvoiceLine[]): string {
  const count = matching.length;
  if (count > 0) return `${subject} was charged ${count} times:\n${formatLines(matching)}`;
  if (charges.length === 0) return `${subject} was never charged; the invoice is empty`;
  return `${subject} was never charged; the invoice contains:\n${formatLines(charges)}`;
}

/** Maximum number of invoice lines in a message. */
const maxLines = 20;

function formatLines(lines: readonly InvoiceLine[]): string {
  const rest = lines.length - maxLines;
  const more = rest > 0 ? [`  … and ${rest} more`] : [];
  return [...lines.slice(0, maxLines).map(formatLine), ...more].join('\n');
}

function formatLine({ usd, model, route, idempotencyKey, taskId, requestId }: InvoiceLine): string {
  const key = idempotencyKey ?? 'no key';
  return `  $${usd} ${route} ${model}, ${key}, ${taskId ?? 'no task'}, ${requestId}`;
}
