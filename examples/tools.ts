/** Lets a model call functions of this program until it can answer, and tells what that cost. */
import { PolygateError, Polygate } from 'polygate';
import { z } from 'zod';

import { pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate();

const tides = {
  name: 'get_tides',
  description: 'The times of high water in a harbour today',
  parameters: z.object({ harbour: z.string() }),
  execute: ({ harbour }: { harbour: string }) => ({ harbour, highWater: ['05:12', '17:38'] }),
};

const weather = {
  name: 'get_weather',
  description: 'The weather in a harbour, now',
  parameters: z.object({ harbour: z.string() }),
  execute({ harbour }: { harbour: string }) {
    // What a tool throws is told to the model, which may do without it.
    throw new Error(`No weather station in ${harbour}`);
  },
};

try {
  const run = await gateway.chat.completions.run(
    {
      model: await pickModel(gateway, 'chat'),
      messages: [{ role: 'user', content: 'How are weather and tides in Bergen?' }],
      tools: [tides, weather],
    },
    { maxRounds: 4, signal: AbortSignal.timeout(60_000) },
  );
  for (const { role, content } of run.messages) console.log(`${role}: ${String(content)}`);
  for (const [round, { meta }] of run.rounds.entries()) {
    console.log(`round ${round + 1}: $${meta.chargeUsd}`);
  }
  console.log(`together: $${run.chargeUsd}`);
} catch (error) {
  // Whatever ended the run: what it had done and paid by then is kept.
  if (!PolygateError.is(error) || error.run === undefined) throw error;
  console.error(`${error.message}\n${error.run.rounds.length} rounds, $${error.run.chargeUsd}`);
  process.exitCode = 1;
} finally {
  await stop();
}
