import type { InvoiceLine } from '../records.ts';

/**
 * Why it cannot be said that a key was paid once, or that every key was; undefined when it can.
 * Refunds are left out: what was paid twice was paid twice.
 */
export function paidOnceProblem(
  invoice: readonly InvoiceLine[],
  key: string | undefined,
): string | undefined {
  const charges = invoice.filter((line) => line.kind === 'charge');
  if (key !== undefined) {
    const found = charges.filter((line) => line.idempotencyKey === key);
    return found.length === 1 ? undefined : problem(`The key ${key}`, found, charges);
  }
  for (const line of charges) {
    const { idempotencyKey: other, user } = line;
    if (other === undefined) {
      return `A charge has no key, so nobody can tell a second one from it:\n${lineText(line)}`;
    }
    const found = charges.filter((entry) => entry.idempotencyKey === other && entry.user === user);
    if (found.length !== 1) return problem(`The key ${other}`, found, charges);
  }
  return charges.length === 0 ? 'Nothing was paid' : undefined;
}

function problem(subject: string, found: InvoiceLine[], charges: InvoiceLine[]): string {
  if (found.length > 0) return `${subject} was paid ${found.length} times:\n${listed(found)}`;
  if (charges.length === 0) return `${subject} was never paid; the invoice is empty`;
  return `${subject} was never paid; the invoice has:\n${listed(charges)}`;
}

/** The most lines that a message shows. */
const shown = 20;

function listed(lines: readonly InvoiceLine[]): string {
  const rest = lines.length - shown;
  const more = rest > 0 ? [`  … and ${rest} more`] : [];
  return [...lines.slice(0, shown).map(lineText), ...more].join('\n');
}

function lineText({ usd, model, route, idempotencyKey, taskId, requestId }: InvoiceLine): string {
  const key = idempotencyKey ?? 'no key';
  return `  $${usd} ${route} ${model}, ${key}, ${taskId ?? 'no task'}, ${requestId}`;
}
