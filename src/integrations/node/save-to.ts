import { randomUUID } from 'node:crypto';
import { link, open, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { ConfigurationError, APIError, ConnectionError } from 'polygate';
import type {
  Clock,
  DownloadOptions,
  Generation,
  Polygate,
  TaskHandle,
  DownloadRange,
  DownloadResponse,
} from 'polygate';

import { canDownloadLater, downloadDelay } from '../../internal.ts';
import { unknownNameProblem } from '../../wire/types/nearest-name.ts';
import {
  fillPlaceholder,
  findExisting,
  hasPlaceholder,
  isSameVersion,
  restOf,
  versionOf,
} from './file-name.ts';
import type { FileVersion } from './file-name.ts';
import { besideFile, codeOf, finalPath, isMissing, replaceFile } from './final-path.ts';

/** Options of {@link saveTo}: those of `gateway.download`, and how often the download is retried. */
export interface SaveToOptions extends Omit<DownloadOptions, 'range'> {
  /**
   * Maximum number of retries after a broken or stalled connection, a 408, a 429, a 5xx, or a file that is no media. The
   * first one waits 500 ms, and the delay doubles up to 8 seconds.
   * @defaultValue 5
   */
  maxRetries?: number | undefined;
  /**
   * Clock used for the delay before a retry.
   * @defaultValue the system clock
   */
  clock?: Pick<Clock, 'sleep'> | undefined;
  /**
   * Whether an existing file is replaced. If not, an existing file is an error, even if it appears during the download.
   * With `{ext}` in the path, a file with any extension counts.
   * @defaultValue true
   */
  overwrite?: boolean | undefined;
}

/** Every option name. `gateway.download` checks the values of its own options. */
const optionNames: Readonly<Record<keyof Required<SaveToOptions>, true>> = {
  index: true,
  maxBytes: true,
  onProgress: true,
  signal: true,
  headers: true,
  requestId: true,
  maxRetries: true,
  clock: true,
  overwrite: true,
};

/** A file that {@link saveTo} has written. */
export interface SavedFile {
  /** The path that you passed, with `{ext}` filled in. */
  path: string;
  /** Size of the file. */
  bytes: number;
  /** Media type that the server reported, without parameters: `video/mp4`. */
  mediaType: string | undefined;
  /**
   * `'unverified'` if nothing proves that the end of the file was not cut off: the server reported no size, or
   * compressed the file although the request forbids it.
   */
  complete: true | 'unverified';
}

const systemClock: Pick<Clock, 'sleep'> = {
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

/**
 * Downloads a result to a file, as `gateway.download` does: without credentials, and from a fresh URL if that of a task
 * or generation has expired.
 *
 * The file appears under its name only when it is complete and flushed to disk; until then, an existing file stays as
 * it is. Meanwhile the bytes are in a file named `.polygate-<id>.part` in the same folder, which is removed on failure.
 * A download whose connection breaks continues where it ended, with a `Range` request, unless the file has changed or
 * the server does not support this; then it starts over.
 *
 * @param path - Path of the file. Its folder must exist. `{ext}` in the name of the file becomes the extension of the media
 * type of the response, such as `png`; `bin` if it has none. An existing file is replaced, unless `overwrite` is false;
 * a symbolic link is followed, even if its target does not exist yet.
 * @returns the path, the size and the media type of the file, and whether it is verified to be complete.
 * @throws `ConfigurationError` if `path` is not the path of a regular file, its folder does not exist, or an
 * option is invalid. With `overwrite: false`, the same error is thrown if the file exists: its `code` is `EEXIST`. A
 * result that was downloaded before the file appeared is not kept; its download can be repeated.
 * @throws `APIError` if the server responds with an error; `ConnectionError` if the connection fails more
 * than `maxRetries` times; `ResponseValidationError` if the file is larger than `maxBytes` or a partial response
 * is not the requested part, or with the `code` `no_media` if the result of a task or a generation is empty, an HTML
 * page, JSON, or XML other than an SVG image; `AbortedError` if the signal aborts.
 * @throws the error of the file system, with its `code`, if the file cannot be written: `ENOSPC` if the disk is full.
 */
export async function saveTo(
  gateway: Pick<Polygate, 'download'>,
  source: string | Generation | TaskHandle,
  path: string,
  options: SaveToOptions = {},
): Promise<SavedFile> {
  const problem = unknownNameProblem(options, Object.keys(optionNames));
  if (problem !== undefined) throw new ConfigurationError(`${problem} Nothing was downloaded.`);
  const { maxRetries = 5, clock = systemClock, overwrite = true, ...downloadOptions } = options;
  if (!Number.isInteger(maxRetries) || maxRetries < 0) {
    throw new ConfigurationError('maxRetries: must be a non-negative integer.');
  }
  if (typeof overwrite !== 'boolean') {
    throw new ConfigurationError('overwrite: must be true or false. Nothing was downloaded.');
  }
  const { signal } = downloadOptions;
  const isTemplate = hasPlaceholder(path);
  const target = isTemplate ? path : await resolveTarget(path);
  const existing = overwrite ? undefined : await findExisting(path);
  if (existing !== undefined) throw existsError(existing, 'Nothing was downloaded.');
  const temporary = besideFile(target, `.polygate-${randomUUID()}.part`);
  const file = await create(temporary);
  try {
    const result = await fill(file, {
      request: (range) => gateway.download(source, { ...downloadOptions, range }),
      maxRetries,
      // If the signal aborts, the next request reports it.
      sleep: (ms) => clock.sleep(ms, signal).catch(() => undefined),
    });
    const isImage = typeof source !== 'string' && source.kind === 'image';
    const filled = isTemplate ? fillPlaceholder(path, result.mediaType, isImage) : path;
    const destination = isTemplate ? await resolveTarget(filled, 'saved') : target;
    if (overwrite) await replaceFile(temporary, destination);
    else await moveToNewFile(temporary, destination);
    return { path: filled, ...result };
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Follows a symbolic link, so that it is not replaced by the file. Rejects what a rename must not replace. */
async function resolveTarget(path: string, consequence = 'downloaded'): Promise<string> {
  const namesFolder = path === '' || path.endsWith('/') || path.endsWith(sep);
  const target = finalPath(path);
  const found = namesFolder ? undefined : await stat(target).catch(ignoreMissing);
  if (!namesFolder && (found === undefined || found.isFile())) return target;
  throw new ConfigurationError(
    `path: '${path}' is not a regular file. Pass the path of the file to write. Nothing was ${consequence}.`,
    { code: 'EISDIR' },
  );
}

/** Gives a complete file its name, unless there is a file of that name. */
async function moveToNewFile(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target).catch(async (error: unknown) => {
      if (codeOf(error) === 'EEXIST') throw error;
      // The file system has no hard links, or a link has led to another one: claim the name with an empty file, and replace it.
      await (await open(target, 'wx')).close();
      await replaceFile(temporary, target);
    });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw existsError(target, 'It appeared during the download, and was not changed.');
  }
  await rm(temporary, { force: true });
}

function existsError(path: string, consequence: string): ConfigurationError {
  return new ConfigurationError(
    `path: '${path}' exists, and overwrite is false. ${consequence} Use another path, or remove the file.`,
    { code: 'EEXIST' },
  );
}

async function create(temporary: string): Promise<FileHandle> {
  try {
    return await open(temporary, 'wx');
  } catch (cause) {
    ignoreMissing(cause);
    throw new ConfigurationError(
      `path: the folder '${dirname(temporary)}' does not exist. Create it first. Nothing was downloaded.`,
      { cause },
    );
  }
}

/** Downloads into the open file, flushes it to disk and closes it. */
async function fill(file: FileHandle, source: TransferSource): Promise<Transferred> {
  try {
    const transferred = await transfer(file, source);
    await file.sync();
    return transferred;
  } finally {
    await file.close();
  }
}

/** Rethrows all errors except those about a missing file or folder. */
function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** Where a file comes from, and how often its download is retried. */
interface TransferSource {
  /** Requests the file, or the rest of it. */
  readonly request: (range?: DownloadRange) => Promise<DownloadResponse>;
  readonly maxRetries: number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Size and media type of a downloaded file, and whether its end is known to be that of the result. */
interface Transferred {
  readonly bytes: number;
  readonly mediaType: string | undefined;
  readonly complete: true | 'unverified';
}

/** Downloads into an open file. After an interruption, continues where it ended if the file allows it. */
async function transfer(
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
