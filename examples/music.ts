/** Generates music, prints the estimated and the actual price, and saves the music in demo-output/. */
import { mkdir, writeFile } from 'node:fs/promises';

import { Polygate } from 'polygate';

import { estimateCost, isLocal, pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate({ allowInsecureBaseURL: isLocal() });

try {
  const model = await pickModel(gateway, 'audio', 'audio');
  console.log(`${model} costs about $${estimateCost(await gateway.models.retrieve(model))}`);

  const song = await gateway.audio.music.generate(
    {
      model,
      prompt: 'A slow sea shanty with an accordion',
      lyrics: 'The harbor sleeps, the lamps are low',
    },
    {
      // The defaults (2 to 5 seconds) suit a real service; the reference gateway is faster.
      ...(isLocal() && { pollInterval: 200, maxPollInterval: 200 }),
      onSubmit: (task) => console.log(`submitted ${task.id} for $${task.chargeUsd}`),
      onUpdate: ({ status, progress = 0 }) => console.log(`${status} ${progress}%`),
    },
  );

  const response = await gateway.download(song);
  await mkdir('demo-output', { recursive: true });
  await writeFile('demo-output/song.wav', Buffer.from(await response.arrayBuffer()));
  console.log('saved demo-output/song.wav');
} finally {
  await stop();
}
