import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

import { ConfigurationError } from 'polygate';
import type { DownloadRange } from 'polygate';

import { headBytes } from '../../internal.ts';
import { besideFile } from './final-path.ts';

const placeholder = '{ext}';

/** Extensions that are not the subtype of the media type. */
const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'video/quicktime': 'mov',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
  'audio/x-wav': 'wav',
  'audio/vnd.wave': 'wav',
  'text/plain': 'txt',
  'application/json': 'json',
};

/** The usual file extension of a media type. `bin` if there is none: a name must not contain what a server sends. */
function extensionOf(mediaType = ''): string {
  const [, subtype = 'bin'] = /^(?:image|video|audio)\/([a-z\d]{2,5})$/.exec(mediaType) ?? [];
  return extensions[mediaType] ?? subtype;
}

/** Whether the name of the file depends on its media type. */
export function hasPlaceholder(path: string): boolean {
  if (dirname(path).includes(placeholder)) {
    throw new ConfigurationError(
      `path: '${path}' has ${placeholder} in the name of a folder. Use it in the name of the file only. Nothing was downloaded.`,
    );
  }
  return path.includes(placeholder);
}

/** The path with the extension of a media type. XML that is the result of an image task is an SVG. */
export function fillPlaceholder(
  path: string,
  mediaType: string | undefined,
  isImage: boolean,
): string {
  const isSvg = isImage && /^(?:application|text)\/xml$/.test(mediaType ?? '');
  return path.replaceAll(placeholder, isSvg ? 'svg' : extensionOf(mediaType));
}

/**
 * Finds a file that the path may name: with a placeholder, one with any extension. A symbolic link whose target does not exist
 * is none: the file is written to its target.
 */
export async function findExisting(path: string): Promise<string | undefined> {
  const parts = basename(path).split(placeholder);
  const start = parts[0] ?? '';
  const end = parts.at(-1) ?? '';
  const names = await readdir(dirname(path)).catch(() => []);
  const isNamed = (name: string) =>
    parts.length === 1
      ? name === start
      : name.length > start.length + end.length && name.startsWith(start) && name.endsWith(end);
  return names
    .filter(isNamed)
    .map((name) => besideFile(path, name))
    .find((found) => existsSync(found));
}

/** What identifies one version of a file, so that two parts of different versions are never joined. */
export interface FileVersion {
  readonly url: string;
  /** Size of the file; undefined if unknown. */
  readonly size: number | undefined;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Value of `If-Range`: a strong ETag or a date. */
  readonly ifRange: string | undefined;
  /** Whether the rest of the file can be requested. */
  readonly isResumable: boolean;
}

/** Reads the version from the headers of a response, which may be partial. */
export function versionOf({ status, headers, url }: Response): FileVersion {
  const etag = headers.get('etag');
  const lastModified = headers.get('last-modified');
  const strongEtag = etag?.startsWith('"') ? etag : undefined;
  // Positions in a compressed body are not positions in the file.
  const isEncoded = headers.get('content-encoding') !== null;
  const length =
    status === 206
      ? headers.get('content-range')?.split('/')[1]
      : !isEncoded && headers.get('content-length');
  return {
    url,
    size: length && /^\d+$/.test(length) ? Number(length) : undefined,
    etag,
    lastModified,
    ifRange: strongEtag ?? lastModified ?? undefined,
    isResumable: !isEncoded && headers.get('accept-ranges') !== 'none',
  };
}

/**
 * The rest of this version from `start` on; undefined if the file has to be requested from its beginning, which shows whether it
 * is a result.
 */
export function restOf(version: FileVersion | undefined, start: number): DownloadRange | undefined {
  if (start < headBytes || !version?.isResumable) return undefined;
  return { start, ifRange: version.ifRange };
}

/**
 * Whether a part belongs to the version. Without `If-Range`, a part from another URL may belong to another file, so it
 * does not count.
 */
export function isSameVersion(version: FileVersion, part: FileVersion): boolean {
  return (
    (version.size ?? part.size) === (part.size ?? version.size) &&
    (version.etag ?? part.etag) === (part.etag ?? version.etag) &&
    // Servers that ignore `If-Range` send a part of whatever file they have. An ETag says more than a date.
    (version.etag !== null ||
      (version.lastModified ?? part.lastModified) ===
        (part.lastModified ?? version.lastModified)) &&
    (version.ifRange !== undefined || version.url === part.url)
  );
}
