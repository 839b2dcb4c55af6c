/** Runs a chat in which the model calls functions of this program, and prints what each round costs. */
import { Polygate, PolygateError } from 'polygate';
import { z } from 'zod';

import { pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate();

const tides = {
  name: 'get_tides',
  description: 'The times of high water in a harbor today',
  parameters: z.object({ harbor: z.string() }),
  execute: ({ harbor }: { harbor: string }) => ({ harbor, highWater: ['05:12', '17:38'] }),
};

const weather = {
  name: 'get_weather',
  description: 'The current weather in a harbor',
  parameters: z.object({ harbor: z.string() }),
  execute({ harbor }: { harbor: string }) {
    // The error message is sent to the model, which can continue without the result.
    throw new Error(`No weather station in ${harbor}`);
  },
};

try {
  const run = await gateway.chat.completions.run(
    {
      model: await pickModel(gateway, 'chat'),
      messages: [{ role: 'user', content: 'What are the weather and tides like in Bergen?' }],
      tools: [tides, weather],
    },
    { maxRounds: 4, signal: AbortSignal.timeout(60_000) },
  );
  for (const { role, content } of run.messages) {
    console.log(`${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`);
  }
  for (const [round, { meta }] of run.rounds.entries()) {
    console.log(`round ${round + 1}: $${meta.chargeUsd}`);
  }
  console.log(`total: $${run.chargeUsd}`);
} catch (error) {
  // `error.run` has the rounds that were completed and paid for before the failure.
  if (!PolygateError.is(error) || error.run === undefined) throw error;
  console.error(`${error.message}\n${error.run.rounds.length} rounds, $${error.run.chargeUsd}`);
  process.exitCode = 1;
} finally {
  await stop();
}
