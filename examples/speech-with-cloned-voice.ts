/** Clones a voice from a recording, generates speech with it and saves the speech in demo-output/. */
import { mkdir, writeFile } from 'node:fs/promises';

import { ConnectionError, estimate, Polygate } from 'polygate';

import { isLocal, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate({ allowInsecureBaseURL: isLocal() });

try {
  // Clone a voice only with its owner's consent. The service downloads the recording from the URL.
  const transcript = 'Good morning, this is Ann.';
  console.log(`cloning costs $${estimate.voiceClone({ previewText: transcript })}`);
  const { voice } = await gateway.voices.clone({
    audio_url: 'https://files.example/ann.wav',
    text: transcript,
    display_name: 'Ann',
  });
  console.log(`${voice.display_name} is ${voice.voice_id}`);

  // Not every speech model supports every voice.
  const [model = ''] = voice.compatible_models;
  const speech = await gateway.audio.speech.generate(
    { model, voice_id: voice.voice_id, text: 'The ferry leaves at seven. Please be on time.' },
    // The defaults (2 to 5 seconds) suit a real service; the reference gateway is faster.
    isLocal() ? { pollInterval: 200, maxPollInterval: 200 } : {},
  );

  const response = await gateway.download(speech);
  await mkdir('demo-output', { recursive: true });
  await writeFile('demo-output/ann.wav', Buffer.from(await response.arrayBuffer()));
  console.log(`saved demo-output/ann.wav, $${gateway.spend.totalUsd} in total`);
} catch (error) {
  // An idempotency key does not protect a clone request, so it is not resent. Check whether it exists before you pay
  // for another one.
  if (!ConnectionError.is(error) || error.outcome !== 'unknown') throw error;
  const voices = await gateway.voices.list();
  const exists = voices.data.some(({ display_name }) => display_name === 'Ann');
  console.error(
    exists ? 'the voice was created, but the response was lost' : 'no voice was created',
  );
  process.exitCode = 1;
} finally {
  await stop();
}
