import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

import { ConfigurationError } from 'polygate';

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
