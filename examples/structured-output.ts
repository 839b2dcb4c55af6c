/** Fills a typed object from what a model writes, and shows it while it is being written. */
import { StructuredOutputError, Polygate } from 'polygate';
import { z } from 'zod';

import { pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate();

const Harbour = z
  .object({
    name: z.string(),
    description: z.string(),
    berths: z.int(),
    sights: z.array(z.string()),
  })
  .meta({ title: 'harbour' });

const stream = gateway.chat.completions.stream({
  model: await pickModel(gateway, 'chat'),
  messages: [{ role: 'user', content: 'Tell me about the harbour of Bergen' }],
  response_format: Harbour,
});

try {
  // Nothing in a draft is checked, and any part of it may still be missing.
  for await (const { name = '', description = '', sights = [] } of stream.partialObjects()) {
    console.log(`… ${name} ${description.length} ${sights.length}`);
  }

  // Here it is checked, and typed by the schema.
  const { parsed } = await stream.final();
  console.log(`${parsed.name} has ${parsed.berths} berths and ${parsed.sights.length} sights`);
  console.log(`$${stream.meta?.chargeUsd}`);
} catch (error) {
  // The model answered, and was paid, but not as asked: its words are kept.
  if (!(error instanceof StructuredOutputError)) throw error;
  console.error(`${error.reason}: ${error.text}`);
  process.exitCode = 1;
} finally {
  await stop();
}
