/** Clones a voice from a recording, lets it speak, and saves what it said below demo-output/. */
import { mkdir, writeFile } from 'node:fs/promises';

import { ConnectionError, estimate, Polygate } from 'polygate';

import { isLocal, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate({ allowInsecureBaseURL: isLocal() });

try {
  // Clone a voice only if its owner agrees. The service fetches the recording by itself.
  const transcript = 'Good morning, this is Ann.';
  console.log(`cloning costs $${estimate.voiceClone({ previewText: transcript })}`);
  const { voice } = await gateway.voices.clone({
    audio_url: 'https://files.example/ann.wav',
    text: transcript,
    display_name: 'Ann',
  });
  console.log(`${voice.display_name} is ${voice.voice_id}`);

  // Not every model takes every voice.
  const [model = ''] = voice.compatible_models;
  const speech = await gateway.audio.speech.generate(
    { model, voice_id: voice.voice_id, text: 'The ferry leaves at seven. Please be on time.' },
    // Waits of 2 to 5 seconds, the default, are right for a service.
    isLocal() ? { pollInterval: 200, maxPollInterval: 200 } : {},
  );

  const response = await gateway.download(speech);
  await mkdir('demo-output', { recursive: true });
  await writeFile('demo-output/ann.wav', Buffer.from(await response.arrayBuffer()));
  console.log(`saved demo-output/ann.wav, $${gateway.spend.totalUsd} in all`);
} catch (error) {
  // A clone is never sent twice: look whether it was made before you pay for another.
  if (!ConnectionError.is(error) || error.outcome !== 'unknown') throw error;
  const voices = await gateway.voices.list();
  const made = voices.data.some(({ display_name }) => display_name === 'Ann');
  console.error(made ? 'the voice was made, but the answer was lost' : 'the voice was not made');
  process.exitCode = 1;
} finally {
  await stop();
}
