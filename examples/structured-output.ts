/** Generates a typed object from a schema and shows it while the model generates it. */
import { Polygate, StructuredOutputError } from 'polygate';
import { z } from 'zod';

import { pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate();

// Examples help a model, and the reference gateway responds with them.
const Harbor = z
  .object({
    name: z.string().meta({ examples: ['Vågen'] }),
    description: z
      .string()
      .meta({ examples: ['The old harbor of Bergen, lined with wooden houses.'] }),
    berths: z.int().meta({ examples: [120] }),
    sights: z
      .array(z.string())
      .meta({ examples: [['Bryggen', 'The fish market', 'Rosenkrantz Tower']] }),
  })
  .meta({ title: 'harbor' });

const stream = gateway.chat.completions.stream({
  model: await pickModel(gateway, 'chat'),
  messages: [{ role: 'user', content: 'Tell me about the harbor of Bergen' }],
  response_format: Harbor,
});

try {
  // Partial objects are not validated, and any part may still be missing.
  for await (const partial of stream.partialObjects()) console.log(JSON.stringify(partial));

  // The final object is validated and typed by the schema.
  const { parsed } = await stream.final();
  const { name, berths, sights } = parsed;
  console.log(`\n${name} has ${berths} berths and ${sights.length} sights.`);
  console.log(`$${stream.meta?.chargeUsd}`);
} catch (error) {
  // The completion was charged but does not match the schema; `text` has what the model generated.
  if (!(error instanceof StructuredOutputError)) throw error;
  console.error(`${error.reason}: ${error.text}`);
  process.exitCode = 1;
} finally {
  await stop();
}
