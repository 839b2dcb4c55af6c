import { parseURL } from '../../../types/parse-url.ts';
import { filePart } from '../../http/result-file.ts';
import type { FilePart } from '../../http/result-file.ts';

const maxRedirects = 3;

/** The request of a result. */
export interface ResultRequest {
  readonly url: string;
  /** The first byte that was requested, if not the entire file. */
  readonly start: number | undefined;
  /** How many redirects have led to it. */
  readonly redirects: number;
}

/** What follows from the response to the request of a result. */
export type DownloadStep =
  | { readonly type: 'read'; readonly part: FilePart }
  /** Its address has not been checked. */
  | { readonly type: 'redirect'; readonly url: string }
  /** It is successful, but has other bytes than those that were requested. */
  | { readonly type: 'wrong-part' }
  /** `problem` is undefined if the status says it all. */
  | { readonly type: 'error'; readonly problem?: string };

/** Decides what follows from a response: its body is read, another address is requested, or the download fails. */
export function nextDownloadStep(
  response: Response,
  { url, start, redirects }: ResultRequest,
): DownloadStep {
  const { ok, status, headers } = response;
  if (ok) {
    const part = filePart(response, url, start);
    return part === undefined ? { type: 'wrong-part' } : { type: 'read', part };
  }
  const location = status < 400 ? headers.get('location') : null;
  if (!location) return { type: 'error' };
  if (redirects === maxRedirects) {
    return { type: 'error', problem: `more than ${maxRedirects} redirects` };
  }
  // An invalid URL is passed on; `checkResultURL` rejects it.
  return { type: 'redirect', url: parseURL(location, url)?.href ?? location };
}
