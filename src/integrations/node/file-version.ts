import type { DownloadRange } from 'polygate';

import { headBytes } from '../../internal.ts';

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
