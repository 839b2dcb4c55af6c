/** Prints a chat completion while the model generates it. */
import { Polygate, StreamTruncatedError } from 'polygate';

import { pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate();

const stream = gateway.chat.completions.stream({
  model: await pickModel(gateway, 'chat'),
  messages: [{ role: 'user', content: 'Describe a harbor at dawn.' }],
  stream_options: { include_usage: true },
});

try {
  for await (const text of stream.text()) process.stdout.write(text);

  // The accumulated completion: content, tool calls and usage.
  const completion = await stream.final();
  const [choice] = completion.choices;
  console.log(`\n\n${choice?.finish_reason}, ${completion.usage?.completion_tokens} tokens`);
  console.log(`$${stream.meta?.chargeUsd}, request ${stream.meta?.requestId}`);
} catch (error) {
  // A truncated stream is never mistaken for a complete one; `partial` has the content received so far.
  if (!(error instanceof StreamTruncatedError)) throw error;
  console.error(
    `\ntruncated after ${error.partial?.choices[0]?.message.content?.length} characters`,
  );
  process.exitCode = 1;
} finally {
  await stop();
}
