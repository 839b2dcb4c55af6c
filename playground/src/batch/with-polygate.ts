import { Polygate } from 'polygate';
import type { Journal, PolygateOptions } from 'polygate';

/** Makes an image for each prompt. The journal has the key of each row before the row is sent. */
export async function makeImages(
  options: PolygateOptions,
  prompts: readonly string[],
  save: (prompt: string, image: unknown) => void,
  limits: { journal: Journal; maxUsd?: number | undefined },
) {
  const gateway = new Polygate(options);
  const rows = gateway.batch(
    prompts,
    (prompt) => gateway.images.submission({ model: 'prism-image', prompt }),
    { ...limits, maxInFlight: 6, pollInterval: 200 },
  );
  for await (const row of rows) {
    if (row.status !== 'succeeded') throw row.error;
    save(row.input, row.generation.urls[0]);
  }
}
