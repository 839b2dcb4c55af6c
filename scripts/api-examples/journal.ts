/** Examples of the API reference for `polygate/journal`. */
import type { Polygate } from 'polygate';
import { fileJournal } from 'polygate/journal';

declare const gateway: Polygate;

// For fileJournal, FileJournalOptions
export async function runBatch(prompts: string[]) {
  const journal = fileJournal('images.jsonl', { storeParams: true });
  const describe = (prompt: string) => gateway.images.submission({ model: 'prism-image', prompt });
  for await (const row of gateway.batch(prompts, describe, { journal })) console.log(row.status);
}
