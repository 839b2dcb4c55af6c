import { APIError } from '../../errors/api.ts';
import { ConfigurationError } from '../../errors/configuration.ts';
import type { Generation } from '../../schemas/task.ts';
import type { ClientContext } from '../call/context.ts';
import { CallErrors } from '../call/errors.ts';
import { runWithTimeLimit } from '../call/time-limit.ts';
import { checkValue, nonNegativeInteger } from '../config/validation.ts';
import { byteLimit, checkResultURL, redirectTarget, requestResult } from '../http/download.ts';
import { withAbortableBody } from '../http/response-body.ts';
import { parseResponseMeta } from '../http/response-meta.ts';

/** Options of `gateway.download`. */
export interface DownloadOptions {
  /**
   * Index of the result, if there are several.
   * @defaultValue 0
   */
  index?: number | undefined;
  /** Maximum size in bytes; a larger body fails with an error. */
  maxBytes?: number | undefined;
  /** Aborts the download. */
  signal?: AbortSignal | undefined;
}

/** Something to download: a result, or a task whose URLs can be renewed once when they have expired. */
export interface Downloadable {
  /** Returns the URLs of the results; undefined if they are not known yet. */
  urls: () => string[] | undefined;
  /** Polls the task for fresh URLs. */
  renew?: (() => Promise<Generation>) | undefined;
}

const maxRedirects = 3;

/** Downloads a result as a stream: without credentials, following only redirects whose address is allowed. */
export async function download(
  context: ClientContext,
  { urls, renew }: Downloadable,
  options: DownloadOptions = {},
): Promise<Response> {
  const { index = 0, maxBytes, signal } = options;
  checkValue('index', index, nonNegativeInteger);
  checkValue('maxBytes', maxBytes, nonNegativeInteger);
  const pick = (list: string[] | undefined) => {
    const url = list?.[index];
    if (url !== undefined) return url;
    throw new ConfigurationError(`index: there is no result ${index}.`);
  };
  const get = async (url: string) => {
    const transformer = maxBytes === undefined ? undefined : byteLimit(maxBytes);
    return withAbortableBody(await fetchResult(context, url, signal), signal, transformer);
  };
  try {
    return await get(pick(urls() ?? (await renew?.())?.urls));
  } catch (error) {
    const isExpired = error instanceof APIError && [403, 404, 410].includes(error.status);
    if (!isExpired || renew === undefined) throw error;
    return get(pick((await renew()).urls));
  }
}

async function fetchResult(
  { config }: ClientContext,
  address: string,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const errors = new CallErrors({ method: 'GET', template: 'the result', safety: 'safe' });
  const limit = errors.timeLimit(config.clock, signal, config.timeout, 'timeout');
  let url = address;
  for (let redirects = 0; ; redirects += 1) {
    checkResultURL(url, config.allowInsecureBaseURL);
    const attempt = (attemptSignal: AbortSignal) =>
      requestResult(config, url, attemptSignal).catch((error: unknown) => {
        throw errors.connectionError(error);
      });
    const response = await runWithTimeLimit(attempt, limit);
    if (response.ok) return response;
    response.body?.cancel().catch(() => undefined);
    const target = redirectTarget(response, url);
    if (target === undefined || redirects >= maxRedirects) {
      const problem = target === undefined ? '' : `more than ${maxRedirects} redirects`;
      throw errors.apiError(parseResponseMeta(response, config), problem, undefined);
    }
    url = target;
  }
}
