import { APIError } from '../../errors/api.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import type { Generation } from '../../schemas/task.ts';
import { withAbortableBody } from '../http/abortable-body.ts';
import { isBrowser } from '../config/environment.ts';
import { CallErrors } from '../call/failures.ts';
import { runWithTimeLimit } from '../call/time-limit.ts';
import { isPrivateHost } from '../http/private-host.ts';
import { parseResponseMeta } from '../http/response-meta.ts';
import { checkValue, nonNegativeInteger } from '../config/validation.ts';
import type { Sender } from '../call/sender.ts';
import { sendHttpRequest } from '../http/transport.ts';

/** How to download. */
export interface DownloadOptions {
  /**
   * Which result, when there are several.
   * @defaultValue 0
   */
  index?: number | undefined;
  /** The body ends with an error beyond this many bytes. */
  maxBytes?: number | undefined;
  /** Ends the download at once. */
  signal?: AbortSignal | undefined;
}

/** What can be downloaded: a result, or a finished task, whose URL is renewed once when it has expired. */
export interface Downloadable {
  /** URLs of the results. */
  urls: () => string[] | undefined;
  /** Asks for fresh URLs. */
  renew?: (() => Promise<Generation>) | undefined;
}

const mostRedirects = 3;

/**
 * Fetches a result without credentials, through checked redirects only, as a stream.
 */
export async function download(
  sender: Sender,
  { urls, renew }: Downloadable,
  options: DownloadOptions = {},
): Promise<Response> {
  const { index = 0, maxBytes, signal } = options;
  checkValue('index', index, nonNegativeInteger);
  checkValue('maxBytes', maxBytes, nonNegativeInteger);
  const pick = (list: string[] | undefined) => {
    const url = list?.[index];
    if (url !== undefined) return url;
    throw new ConfigurationError(`index: there is no result ${index}`);
  };
  const get = async (url: string) => {
    const transformer = maxBytes === undefined ? undefined : cap(maxBytes);
    return withAbortableBody(await fetchResult(sender, url, signal), signal, transformer);
  };
  try {
    return await get(pick(urls() ?? (await renew?.())?.urls));
  } catch (error) {
    const gone = error instanceof APIError && [403, 404, 410].includes(error.status);
    if (!gone || renew === undefined) throw error;
    return get(pick((await renew()).urls));
  }
}

async function fetchResult(
  { config }: Sender,
  address: string,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const call = { method: 'GET', template: 'the result', safety: 'safe' } as const;
  const failures = new CallErrors(call);
  const limits = failures.timeLimit(config.clock, signal, config.timeout);
  let url = address;
  for (let hop = 0; ; hop += 1) {
    checkResultURL(url, config.allowInsecureBaseURL);
    const request = (inner: AbortSignal) =>
      sendHttpRequest(config.fetch, {
        url,
        method: 'GET',
        headers: {},
        body: null,
        signal: inner,
        credentials: 'omit',
        // A page cannot look at redirects, and the browser guards its network itself.
        redirect: isBrowser() ? 'follow' : 'manual',
      }).catch((error: unknown) => {
        throw failures.connectionError(error);
      });
    const response = await runWithTimeLimit(request, limits);
    if (response.ok) return response;
    response.body?.cancel().catch(() => undefined);
    const target = response.status < 400 ? response.headers.get('location') : null;
    if (target === null || hop >= mostRedirects) {
      throw failures.apiError(parseResponseMeta(response, config), '', undefined);
    }
    url = URL.parse(target, url)?.href ?? '';
  }
}

/** Refuses addresses that a result cannot have, before anything is sent. */
function checkResultURL(address: string, insecure = false): void {
  const { protocol = '', hostname = '', username, password } = URL.parse(address) ?? {};
  const fits =
    protocol === 'data:' ||
    (insecure && /^https?:$/.test(protocol)) ||
    (protocol === 'https:' && !isPrivateHost(hostname));
  if (fits && !username && !password) return;
  throw new ConfigurationError(
    'download: the address must be https and public, or set allowInsecureBaseURL.',
  );
}

/** Ends a body with an error beyond so many bytes. */
function cap(maxBytes: number): Transformer<Uint8Array, Uint8Array> {
  let size = 0;
  return {
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size <= maxBytes) controller.enqueue(chunk);
      else controller.error(new RangeError(`The result is longer than maxBytes (${maxBytes}).`));
    },
  };
}
