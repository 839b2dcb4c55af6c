/** Registers an image as a material, uses its asset:// URI in a video and prints the video's URL. */
import { MaterialFailedError, Polygate, TaskFailedError } from 'polygate';

import { isLocal, pickModel, startGateway } from './support/gateway.ts';

const stop = await startGateway();
const gateway = new Polygate();
// The defaults (2 to 5 seconds, for materials 3 to 5) suit a real service; the reference gateway is faster.
const pollTiming = isLocal() ? { pollInterval: 200, maxPollInterval: 200 } : {};

try {
  // The URL must be public: the service downloads the image from it.
  const material = await gateway.materials.register(
    { url: 'https://upload.example/harbor.png', type: 'image', name: 'The harbor' },
    { ...pollTiming, onUpdate: ({ status }) => console.log(`material ${status}`) },
  );
  console.log(`${material.id} is ${material.uri} until ${material.expires_at}`);

  // An asset:// URI is valid in media items only; in a prompt or other text it is rejected.
  const video = await gateway.videos.generate(
    {
      model: await pickModel(gateway, 'video'),
      resolution: '720p',
      duration: 5,
      content: [
        { type: 'text', text: 'The fog lifts from the harbor at dawn' },
        { type: 'image_url', image_url: { url: material.uri }, role: 'reference_image' },
      ],
    },
    {
      ...pollTiming,
      onSubmit: (task) => console.log(`submitted ${task.id} for $${task.chargeUsd}`),
      onUpdate: ({ status, progress = 0 }) => console.log(`video ${status} ${progress}%`),
    },
  );
  console.log(`the video is at ${video.urls[0]}`);
} catch (error) {
  if (error instanceof MaterialFailedError) {
    console.error(`the image cannot be used: ${error.material?.status}`);
  } else if (error instanceof TaskFailedError) {
    console.error(`the service could not generate the video: ${error.generation.error?.message}`);
  } else throw error;
  process.exitCode = 1;
} finally {
  await stop();
}
