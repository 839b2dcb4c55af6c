import { InvalidArgumentError } from '@ai-sdk/provider';
import type { SharedV4Warning } from '@ai-sdk/provider';

import type { Polygate } from '../../client.ts';
import { AbortedError, ConnectionError } from '../../errors/call.ts';
import { APIError } from '../../errors/responses.ts';
import { downloadDelay, isNoMedia, isTemporary } from '../../internal/download-retries.ts';
import { clockOf } from '../../internal/downloads.ts';
import type { TaskHandle } from '../../wire/types/tasks/task-handle.ts';

/** A file that the AI SDK passes to a model. */
type InputFile = { readonly type: 'url'; readonly url: string } | { readonly type: 'file' };

const maxRetries = 2;

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

interface DownloadedFile {
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
  readonly warnings: readonly SharedV4Warning[];
}

const unverified: SharedV4Warning = {
  type: 'other',
  message:
    'The server of the result reported no size, so the file may be incomplete. Downloading it again is free.',
};

/**
 * Downloads a result of a finished task, without credentials. Tries again after a temporary failure: a download is
 * free, and the AI SDK would lose the task, which was paid for.
 */
export async function downloadFile(
  client: Polygate,
  task: TaskHandle,
  index: number,
  signal: AbortSignal | undefined,
): Promise<DownloadedFile> {
  for (let retry = 0; ; retry += 1) {
    try {
      const response = await client.download(task, { index, ...(signal && { signal }) });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const contentType = response.headers.get('content-type');
      return { bytes, contentType, warnings: response.complete === true ? [] : [unverified] };
    } catch (error) {
      if (signal?.aborted) {
        const message = `Aborted by the caller. Task ${task.id} is not lost: download its result with gateway.download(error.task).`;
        throw new AbortedError(message, { task, cause: signal.reason });
      }
      if (retry === maxRetries || !canDownloadLater(error)) throw error;
      // If the signal aborts, the next download reports it.
      await clockOf(client)
        .sleep(downloadDelay(retry), signal)
        .catch(() => undefined);
    }
  }
}

/** Whether another download may succeed after a delay. Files, limits and the caller's signal do not recover. */
function canDownloadLater(error: unknown): boolean {
  if (APIError.is(error)) return isTemporary(error.status);
  return ConnectionError.is(error) || isNoMedia(error);
}
