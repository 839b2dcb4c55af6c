import { InvalidArgumentError } from '@ai-sdk/provider';

import type { Polygate } from '../client.ts';
import type { SucceededGeneration } from '../schemas/task.ts';

/** A file that the AI SDK passes to a model. */
type InputFile = { readonly type: 'url'; readonly url: string } | { readonly type: 'file' };

/**
 * The URL of a file. The service takes URLs only.
 *
 * @throws InvalidArgumentError if the file is data.
 */
export function urlOf(file: InputFile, parameter: string): string {
  if (file.type === 'url') return file.url;
  throw new InvalidArgumentError({
    argument: parameter,
    message: `${parameter}: must be a URL, because the service does not take uploads. Nothing was sent.`,
  });
}

/** Downloads every result of a generation, without credentials. */
export async function downloadAll(
  client: Polygate,
  generation: SucceededGeneration,
  signal: AbortSignal | undefined,
): Promise<Uint8Array[]> {
  return Promise.all(
    generation.urls.map(async (_, index) => {
      const response = await client.download(generation, { index, ...(signal && { signal }) });
      return new Uint8Array(await response.arrayBuffer());
    }),
  );
}
