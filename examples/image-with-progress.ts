/** Draws an image, tells how far it is, and saves it below demo-output/. */
import { mkdir, writeFile } from 'node:fs/promises';

import { Polygate, TaskFailedError } from 'polygate';

import { pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate();

try {
  const image = await gateway.images.generate(
    { model: await pickModel(gateway, 'image'), prompt: 'A harbour at dawn, in watercolour' },
    {
      pollInterval: 300,
      maxPollInterval: 1_000,
      onSubmit: (task) => console.log(`submitted ${task.id} for $${task.chargeUsd}`),
      onUpdate: ({ status, progress = 0 }) => console.log(`${status} ${progress} %`),
    },
  );

  // Links expire, so files are fetched at once; they need no key.
  for (const [index, url] of image.urls.entries()) {
    const response = await fetch(url);
    const [type = 'image/png'] = (response.headers.get('content-type') ?? '').split(';');
    const file = `demo-output/harbour-${index + 1}.${type.replace(/^image\/|\+xml$/g, '')}`;
    await mkdir('demo-output', { recursive: true });
    await writeFile(file, Buffer.from(await response.arrayBuffer()));
    console.log(`saved ${file}`);
  }
} catch (error) {
  if (!(error instanceof TaskFailedError)) throw error;
  console.error(`the service could not draw it: ${error.generation?.error?.message}`);
  process.exitCode = 1;
} finally {
  await stop();
}
