import type { FileHandle } from 'node:fs/promises';

import { APIError, ConnectionError } from 'polygate';
import type { DownloadRange, DownloadResponse } from 'polygate';

import { downloadDelay, isNoMedia, isTemporary } from '../../internal.ts';
import { isSameVersion, restOf, versionOf } from './file-version.ts';
import type { FileVersion } from './file-version.ts';

/** Where a file comes from, and how often its download is retried. */
export interface TransferSource {
  /** Requests the file, or the rest of it. */
  readonly request: (range?: DownloadRange) => Promise<DownloadResponse>;
  readonly maxRetries: number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Size and media type of a downloaded file, and whether its end is known to be that of the result. */
export interface Transferred {
  readonly bytes: number;
  readonly mediaType: string | undefined;
  readonly complete: true | 'unverified';
}

/** Downloads into an open file. After an interruption, continues where it ended if the file allows it. */
export async function transfer(
  file: FileHandle,
  { request, maxRetries, sleep }: TransferSource,
): Promise<Transferred> {
  let bytes = 0;
  let version: FileVersion | undefined;
  let mediaType: string | undefined;
  let complete: Transferred['complete'] = true;
  for (let retry = 0; ; retry += 1) {
    try {
      const response = await requestRest(request, version, bytes);
      // Nothing is missing.
      if (response === undefined) break;
      if (response.status !== 206) {
        version = versionOf(response);
        mediaType = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
        bytes = 0;
        await file.truncate();
      }
      for await (const chunk of response.body ?? []) {
        await write(file, chunk, bytes);
        bytes += chunk.byteLength;
      }
      const { size = bytes } = version ?? {};
      if (bytes < size) {
        throw new ConnectionError(`The download ended after ${bytes} of ${size} bytes.`);
      }
      if (response.complete !== true) complete = 'unverified';
      break;
    } catch (error) {
      if (retry >= maxRetries || !canDownloadLater(error)) throw error;
      await sleep(downloadDelay(retry));
    }
  }
  return { bytes, mediaType, complete };
}

/**
 * Requests what is missing after the first `bytes` of a version. Returns the entire file if the rest cannot be had or
 * belongs to another version, and undefined if nothing is missing.
 */
async function requestRest(
  request: TransferSource['request'],
  version: FileVersion | undefined,
  bytes: number,
): Promise<DownloadResponse | undefined> {
  const range = restOf(version, bytes);
  if (range === undefined || version === undefined) return request();
  try {
    const response = await request(range);
    if (response.status !== 206 || isSameVersion(version, versionOf(response))) return response;
    await response.body?.cancel();
  } catch (error) {
    if (!APIError.is(error) || error.status !== 416) throw error;
    // A file of unknown size was complete when its connection broke.
    const isSize = error.meta.headers.get('content-range') === `bytes */${bytes}`;
    if (isSize && (version.size ?? bytes) === bytes) return undefined;
  }
  return request();
}

/** Writes all bytes of a chunk: a single write may end early. */
async function write(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < chunk.byteLength;) {
    const length = chunk.byteLength - written;
    written += (await file.write(chunk, written, length, position + written)).bytesWritten;
  }
}

/** Whether another download may succeed after a delay. Files, limits and the caller's signal do not recover. */
function canDownloadLater(error: unknown): boolean {
  if (APIError.is(error)) return isTemporary(error.status);
  return ConnectionError.is(error) || isNoMedia(error);
}
