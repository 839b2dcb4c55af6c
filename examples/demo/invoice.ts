import type { MockGateway } from 'polygate/mock';

import { green, red, row, title, usdColumn } from './screen.ts';

/** Prints the invoice of the reference gateway, and whether a row was charged more than once. */
export function showInvoice({ invoice, tasks }: MockGateway): void {
  title('Invoice of the gateway', 'one charge per row');
  const total = invoice.reduce((sum, { usd }) => sum + usd, 0);
  const amounts = usdColumn([...invoice.map(({ usd }) => usd), total]);
  const line = (what: string, model: string, key: string, index: number): void =>
    row([what, 31], [model, 13], [key, 14], [amounts[index] ?? '', 0]);
  for (const [index, { taskId, model, idempotencyKey }] of invoice.entries()) {
    const prompt = tasks.find(({ id }) => id === taskId)?.prompt;
    line(shorten(prompt ?? 'Chat'), model, shorten(idempotencyKey, 14), index);
  }
  line(`${invoice.length} charges`, '', '', invoice.length);

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
