/** Draws an image, tells how far it is, and saves it below demo-output/. */
import { mkdir, writeFile } from 'node:fs/promises';

import { Polygate, TaskFailedError } from 'polygate';

import { isLocal, pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate({ allowInsecureBaseURL: isLocal() });

try {
  const image = await gateway.images.generate(
    { model: await pickModel(gateway, 'image'), prompt: 'A harbour at dawn, in watercolour' },
    {
      // Waits of 2 to 5 seconds, the default, are right for a service.
      ...(isLocal() && { pollInterval: 200, maxPollInterval: 200 }),
      onSubmit: (task) => console.log(`submitted ${task.id} for $${task.chargeUsd}`),
      onUpdate: ({ status, progress = 0 }) => console.log(`${status} ${progress} %`),
    },
  );

  // Links to results expire, so this is the time. No key is sent to them.
  const response = await gateway.download(image);
  const [, ending = 'bin'] = /^image\/(\w+)/.exec(response.headers.get('content-type') ?? '') ?? [];
  await mkdir('demo-output', { recursive: true });
  await writeFile(`demo-output/image.${ending}`, Buffer.from(await response.arrayBuffer()));
  console.log(`saved demo-output/image.${ending}`);
} catch (error) {
  if (!(error instanceof TaskFailedError)) throw error;
  console.error(`the service could not draw it: ${error.generation?.error?.message}`);
  process.exitCode = 1;
} finally {
  await stop();
}
