import type { MockGateway } from 'polygate/mock';

import { green, red, row, title, usdColumn } from './screen.ts';

/** Prints the invoice of the reference gateway, and whether a row was charged more than once. */
export function showInvoice({ invoice, tasks }: MockGateway): void {
  title('Invoice of the gateway', 'one charge per row');
  const line = (what: string, model: string, key: string, usd: number): void =>
    row([what, 31], [model, 13], [key, 14], [usdColumn(usd), 0]);
  for (const { taskId, model, idempotencyKey, usd } of invoice) {
    const prompt = tasks.find(({ id }) => id === taskId)?.prompt;
    line(shorten(prompt ?? 'Chat'), model, shorten(idempotencyKey, 14), usd);
  }
  const total = invoice.reduce((sum, { usd }) => sum + usd, 0);
  line(`${invoice.length} charges`, '', '', total);

  const charged = invoice.flatMap(({ taskId }) => taskId ?? []);
  const repeated = charged.length - new Set(charged).size;
  // Every task of the demo is a row or an image of its own, so an extra task would be a second payment.
  const once = repeated === 0 && charged.length === new Set(tasks.map(({ prompt }) => prompt)).size;
  console.log(
    `\n  ${once ? green('Nothing was paid for twice.') : red('Something was paid for twice.')}`,
  );
}

function shorten(text = '', maxLength = 31): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}
