/** Registers a picture as a material, films it by its asset:// URI, and prints where the film is. */
import { MaterialFailedError, Polygate, TaskFailedError } from 'polygate';

import { isLocal, pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate();
// Waits of 3 to 5 seconds for a material and of 2 to 5 for a task, the defaults, are right for a service.
const pace = isLocal() ? { pollInterval: 200, maxPollInterval: 200 } : {};

try {
  // Any public picture; the service fetches it from there, so nothing is uploaded.
  const material = await gateway.materials.register(
    { url: 'https://upload.example/harbour.png', type: 'image', name: 'The harbour' },
    { ...pace, onUpdate: ({ status }) => console.log(`material ${status}`) },
  );
  console.log(`${material.id} is ${material.uri} until ${material.expires_at}`);

  // The URI stands in a media item; in the prompt or another text it would be refused.
  const film = await gateway.videos.generate(
    {
      model: await pickModel(gateway, 'video'),
      resolution: '720p',
      duration: 5,
      content: [
        { type: 'text', text: 'The fog lifts from the harbour at dawn' },
        { type: 'image_url', image_url: { url: material.uri }, role: 'reference_image' },
      ],
    },
    {
      ...pace,
      onSubmit: (task) => console.log(`submitted ${task.id} for $${task.chargeUsd}`),
      onUpdate: ({ status, progress = 0 }) => console.log(`film ${status} ${progress} %`),
    },
  );
  console.log(`the film is at ${film.urls[0]}`);
} catch (error) {
  if (error instanceof MaterialFailedError) {
    console.error(`the picture cannot be used: ${error.material?.status}`);
  } else if (error instanceof TaskFailedError) {
    console.error(`the film could not be made: ${error.generation.error?.message}`);
  } else throw error;
  process.exitCode = 1;
} finally {
  await stop();
}
