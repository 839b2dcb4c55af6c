/**
 * Labels 100 texts within a budget. You can kill it and run it again: finished chats come from the journal, and a chat that
 * was in flight is not sent a second time. To try that, run `npx polygate-mock` in another terminal, and set
 * POLYGATE_BASE_URL and POLYGATE_API_KEY. Otherwise the example starts its own reference gateway.
 */
import { BudgetExceededError, Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';
import { z } from 'zod';

import { pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate();
const model = await pickModel(gateway, 'chat');
const texts = Array.from({ length: 100 }, (_, index) => ({
  id: `text ${index + 1}`,
  text: `Ship ${index + 1} has arrived late.`,
}));

// The rows in a journal belong to one service, so use one journal per host. It contains the completions.
const { host = '' } = URL.parse(process.env['POLYGATE_BASE_URL'] ?? '') ?? {};
const journal = fileJournal(`labels-${host.replace(':', '-')}.jsonl`);

const rows = gateway.batch(
  texts,
  ({ text }) =>
    gateway.chat.completions.submission({
      model,
      messages: [{ role: 'user', content: `Label this text: ${text}` }],
      response_format: z.object({ label: z.string() }),
    }),
  {
    journal,
    id: ({ id }) => id,
    maxUsd: 1,
    onProgress: ({ total, done, failed, unknown, usd }) =>
      console.log(`${done} of ${total} done, ${failed + unknown} without a label, $${usd} so far`),
  },
);
try {
  for await (const { id, parsed, error } of rows) console.log(id, parsed?.label ?? error?.message);
} catch (error) {
  if (!BudgetExceededError.is(error)) throw error;
  console.log(`${error.rowsOpen} rows are open. Raise maxUsd, and run it again.`);
}
await stop();
