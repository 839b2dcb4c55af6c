/** Uses the AI SDK: streams a chat, then generates an image, and prints what each of them cost. */
import { mkdir, writeFile } from 'node:fs/promises';

import { generateImage, streamText } from 'ai';
import { createPolygate } from 'polygate/ai-sdk';

import { isLocal, pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const polygate = createPolygate({ allowInsecureBaseURL: isLocal() });
const { client } = polygate;

const chat = streamText({
  model: polygate(await pickModel(client, 'chat')),
  prompt: 'Describe a harbor at dawn in three sentences.',
  // A truncated stream ends here, with a StreamTruncatedError.
  onError: ({ error }) => console.error(String(error)),
});
for await (const text of chat.textStream) process.stdout.write(text);
const { finishReason, providerMetadata } = await chat.finalStep;
console.log(`\n\n${finishReason}, USD:`, providerMetadata?.polygate?.chargeUsd);

// A lost response is repeated with this key: the image is charged once. Store it with the order in your database.
const idempotencyKey = crypto.randomUUID();
const { image } = await generateImage({
  model: polygate.image(await pickModel(client, 'image')),
  prompt: 'A harbor at dawn, in watercolor',
  providerOptions: { polygate: { idempotencyKey } },
});
const file = `demo-output/ai-sdk.${/^image\/(\w+)/.exec(image.mediaType)?.[1]}`;
await mkdir('demo-output', { recursive: true });
await writeFile(file, image.uint8Array);
console.log(`saved ${file}, USD:`, image.providerMetadata?.polygate?.chargeUsd);
console.log('total, USD:', client.spend.totalUsd);

await stop();
