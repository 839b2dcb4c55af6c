import type { PolygateError } from '../../../errors/base.ts';
import type { ResponseMeta } from '../../../wire/types/meta.ts';
import { omitUndefined } from '../../../wire/types/schema.ts';
import type { TaskHandle } from '../../../wire/types/tasks/task-handle.ts';
import type { TaskKind } from '../../../wire/types/tasks/task.ts';
import { explainRefusal } from '../../call/attempt.ts';
import type { CallErrors } from '../../call/errors.ts';
import { CallHistory } from '../../call/history.ts';
import { StreamErrors } from '../../call/stream-errors.ts';
import type { Config } from '../../config/config.ts';
import { isBrowser } from '../../config/environment.ts';
import { parseResponseMeta } from '../../http/response-meta.ts';
import { checkResultURL } from '../../http/result-file.ts';
import { runWithTimeLimit } from '../../limits/time-limit.ts';
import { guardBody } from './download-body.ts';
import type { DownloadResponse } from './download-body.ts';
import { nextDownloadStep } from './next-step.ts';
import type { DownloadStep } from './next-step.ts';
import type { DownloadOptions, DownloadRange } from './options.ts';

/** Where a result is. */
interface ResultLocation {
  readonly url: string;
  /** What the result is, if that is known. */
  readonly kind: TaskKind | undefined;
  /** The task of the result, if it is known. */
  readonly task: TaskHandle | undefined;
  /** Returns a fresh URL, which is requested if this one has expired. */
  readonly refresh?: (() => Promise<string>) | undefined;
}

/**
 * Downloads a result from its URL. Follows redirects itself, so that each address is checked before anything is sent to
 * it.
 */
export async function fetchResult(
  config: Config,
  { url: address, kind, task, refresh }: ResultLocation,
  options: DownloadOptions,
): Promise<DownloadResponse> {
  const { range, signal } = options;
  const call = { method: 'GET', template: 'result URL', safety: 'safe', task } as const;
  const history = new CallHistory(call);
  const errors = new StreamErrors(history);
  const limit = { clock: config.clock, signal, ms: config.timeout, errors };
  const init = requestInit(config, range);
  let url = address;
  for (let redirects = 0; ; redirects += 1) {
    checkResultURL(url, config.allowInsecureBaseURL, { task });
    const attempt = async (attemptSignal: AbortSignal) => {
      history.isSent = true;
      try {
        return await config.fetch(url, { ...init, signal: attemptSignal });
      } catch (error) {
        throw errors.sendError(await explainRefusal(error, attemptSignal, config.fetch));
      }
    };
    const response = await runWithTimeLimit(attempt, limit);
    const step = nextDownloadStep(response, { url, start: range?.start, redirects });
    if (step.type === 'read') {
      return guardBody(response, step.part, { ...options, config, errors, kind, task });
    }
    response.body?.cancel().catch(() => undefined);
    if (step.type === 'expired' && refresh) {
      return fetchResult(config, { url: await refresh(), kind, task }, options);
    }
    if (step.type !== 'redirect') throw toError(step, errors, parseResponseMeta(response, config));
    ({ url } = step);
  }
}

/** The request of a result: without credentials. */
function requestInit(
  { cache }: Pick<Config, 'cache'>,
  range: DownloadRange | undefined,
): RequestInit {
  return {
    // A page cannot inspect redirects. There, CORS limits what it can read.
    redirect: isBrowser() ? 'follow' : 'manual',
    ...(cache && { cache }),
    headers: omitUndefined({
      // A compressed body that is truncated can look complete. Browsers ignore this header.
      'accept-encoding': 'identity',
      range: range && `bytes=${range.start}-`,
      'if-range': range?.ifRange,
    }),
    credentials: 'omit',
  };
}

function toError(
  step: Extract<DownloadStep, { type: 'wrong-part' | 'expired' | 'error' }>,
  errors: CallErrors,
  meta: ResponseMeta,
): PolygateError {
  if (step.type === 'wrong-part') {
    return errors.invalidResponse(meta, 'the content-range is not the requested one');
  }
  const { problem = '' } = step.type === 'error' ? step : {};
  return errors.apiError(meta, problem, undefined);
}
