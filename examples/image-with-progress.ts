/** Generates an image, prints its progress and saves it in demo-output/. */
import { mkdir, writeFile } from 'node:fs/promises';

import { Polygate, TaskFailedError } from 'polygate';

import { isLocal, pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate({ allowInsecureBaseURL: isLocal() });

try {
  const image = await gateway.images.generate(
    { model: await pickModel(gateway, 'image'), prompt: 'A harbor at dawn, in watercolor' },
    {
      // The defaults (2 to 5 seconds) suit a real service; the reference gateway is faster.
      ...(isLocal() && { pollInterval: 200, maxPollInterval: 200 }),
      onSubmit: (task) => console.log(`submitted ${task.id} for $${task.chargeUsd}`),
      onUpdate: ({ status, progress = 0 }) => console.log(`${status} ${progress}%`),
    },
  );

  // Result URLs expire, so download the file soon. The download does not send the API key.
  const response = await gateway.download(image);
  const [, extension = 'bin'] =
    /^image\/(\w+)/.exec(response.headers.get('content-type') ?? '') ?? [];
  await mkdir('demo-output', { recursive: true });
  await writeFile(`demo-output/image.${extension}`, Buffer.from(await response.arrayBuffer()));
  console.log(`saved demo-output/image.${extension}`);
} catch (error) {
  if (!(error instanceof TaskFailedError)) throw error;
  console.error(`the service could not generate the image: ${error.generation?.error?.message}`);
  process.exitCode = 1;
} finally {
  await stop();
}
