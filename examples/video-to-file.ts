/** Generates a video and saves it in demo-output/, with progress. A broken download continues where it ended. */
import { mkdir } from 'node:fs/promises';

import { Polygate } from 'polygate';
import { saveTo } from 'polygate/node';

import { isLocal, pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate({ allowInsecureBaseURL: isLocal() });

try {
  const video = await gateway.videos.generate(
    {
      model: await pickModel(gateway, 'video'),
      prompt: 'The fog lifts from the harbor at dawn',
      duration: 5,
    },
    {
      // The defaults (2 to 5 seconds) suit a real service; the reference gateway is faster.
      ...(isLocal() && { pollInterval: 200, maxPollInterval: 200 }),
      onUpdate: ({ status, progress = 0 }) => console.log(`${status} ${progress}%`),
    },
  );

  await mkdir('demo-output', { recursive: true });
  const file = await saveTo(gateway, video, 'demo-output/harbor.mp4', {
    onProgress: ({ bytes, total }) => console.log(`${bytes} of ${total ?? 'unknown'} bytes`),
  });
  console.log(`saved ${file.path}: ${file.bytes} bytes of ${file.mediaType}`);
} finally {
  await stop();
}
