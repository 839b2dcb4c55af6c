/** Prints an answer word by word while it is being written. */
import { Polygate, StreamTruncatedError } from 'polygate';

import { pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate();

const stream = gateway.chat.completions.stream({
  model: await pickModel(gateway, 'chat'),
  messages: [{ role: 'user', content: 'Describe a harbour at dawn.' }],
  stream_options: { include_usage: true },
});

try {
  for await (const text of stream.text()) process.stdout.write(text);

  // The same answer as a whole: content, tool calls, usage.
  const completion = await stream.final();
  const [choice] = completion.choices;
  console.log(`\n\n${choice?.finish_reason}, ${completion.usage?.completion_tokens} tokens`);
  console.log(`$${stream.meta?.chargeUsd}, request ${stream.meta?.requestId}`);
} catch (error) {
  // The connection broke off: what came is kept, and it is never mistaken for the whole answer.
  if (!(error instanceof StreamTruncatedError)) throw error;
  console.error(`\ncut off after ${error.partial?.choices[0]?.message.content?.length} characters`);
  process.exitCode = 1;
} finally {
  await stop();
}
