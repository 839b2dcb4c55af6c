import { APIError } from '../../errors/responses.ts';
import type { ResponseMeta } from '../../wire/types/meta.ts';
import { causeChain } from '../http/failure.ts';
import { isJson, withoutHalfPairs } from '../http/json.ts';
import { Part } from '../http/part.ts';
import { buildRequestHeaders, resolveApiKey } from '../http/request-headers.ts';
import { headersOf, readErrorText } from '../http/response-body.ts';
import { parseResponseMeta, parseRetryAfter } from '../http/response-meta.ts';
import type { Attempt, HttpRequest } from '../http/transport.ts';
import type { SlotLease } from '../limits/concurrency.ts';
import { runWithTimeLimit } from '../limits/time-limit.ts';
import type { CheckTime } from '../limits/time-limit.ts';
import { routeOf } from './api-request.ts';
import type { Call } from './call.ts';
import type { ApiResponse, ResponseHandler } from './response.ts';

/**
 * Sends a call once, within the time limit of an attempt, and reads its response. Rejects with one of the errors of the
 * call. Both limits, its own and that of the whole call, are checked right before it is sent: the response to a request
 * that is sent too late would be paid for and lost.
 */
export function attempt<Result>(
  call: Call,
  handle: ResponseHandler<Result>,
  lease: SlotLease,
  signal: AbortSignal | undefined,
  checkTotal: CheckTime | undefined,
): Promise<ApiResponse<Result>> {
  const { clock } = call.budget ?? call.config;
  const isPassedOn = call.request.returnsErrorResponses ? isErrorResponse : undefined;
  const limit = { clock, signal, ms: call.limits.timeout, errors: call, isPassedOn };
  return runWithTimeLimit((limited, checkAttempt) => {
    const checkBoth = () => {
      checkTotal?.();
      checkAttempt();
    };
    return exchange(call, handle, lease, limited, checkTotal ? checkBoth : checkAttempt);
  }, limit);
}

const isErrorResponse = (error: unknown) => APIError.is(error);

/** Sends the request and reads its response. */
async function exchange<Result>(
  call: Call,
  handle: ResponseHandler<Result>,
  lease: SlotLease,
  signal: AbortSignal,
  checkTime: CheckTime,
): Promise<ApiResponse<Result>> {
  const { request, config } = call;
  const { response, meta } = await send(call, signal, checkTime);
  if (signal.aborted) response.body?.cancel().catch(() => undefined);
  signal.throwIfAborted();
  if (response.ok) {
    const data = await handle({ call, response, meta, lease, signal });
    return { response, meta, data, model: request.model, isOpen: lease.isTransferred };
  }
  request.observer?.onErrorResponse?.(response, meta());
  const text = await readErrorText(response, signal);
  throw call.apiError(meta(), text, parseRetryAfter(headersOf(response), config.clock.now()));
}

/** Sends the request. The body of the response is not read. */
async function send(call: Call, signal: AbortSignal, checkTime: CheckTime) {
  const { request, config, span } = call;
  const { transport } = call.context;
  let meta: (() => ResponseMeta) | undefined;
  const onResponse = (received: Response) =>
    (meta ??= recordResponse(call, received, signal.aborted));
  try {
    const pendingKey = request.credentials === false ? null : resolveApiKey(config);
    const apiKey = pendingKey instanceof Promise ? await pendingKey : pendingKey;
    signal.throwIfAborted();
    const url = config.baseURL + (request.path ?? request.template);
    const sent = createRequest(call, apiKey, signal);
    call.addHeaders(sent.headers);
    const details: Attempt = {
      retryCount: call.attempts,
      onSend: (changed) => {
        checkTime();
        if (changed) call.addHeaders(Object.fromEntries(changed));
        call.isSent = true;
        request.observer?.onSend?.();
      },
      onResponse,
      budget: call.budget,
    };
    const sendRequest = () => transport(url, sent, details);
    const response = await (span ? span.runAttempt(sendRequest) : sendRequest());
    return { response, meta: onResponse(response) };
  } catch (error) {
    throw call.sendError(await explainRefusal(error, signal, config.fetch));
  }
}

function createRequest(
  { config, request, options }: Call,
  apiKey: string | null,
  signal: AbortSignal,
): HttpRequest {
  const headers = buildRequestHeaders(request, options, config, apiKey);
  const { body = null } = request;
  const sent: HttpRequest = {
    method: request.method,
    headers,
    body:
      typeof body === 'string' && isJson(headers['content-type']) ? withoutHalfPairs(body) : body,
    signal,
    // A redirect could take the API key elsewhere.
    redirect: 'manual',
  };
  // Assigned separately: a conditional spread is slower than the rest of this function.
  if (config.cache) sent.cache = config.cache;
  return sent;
}

/**
 * Records what any response reports: its charge, the account's limits, and that the service works. Runs even if the
 * caller has aborted: every charge must reach the ledger. Returns a function that parses the metadata.
 */
function recordResponse(call: Call, response: Response, isLate: boolean): () => ResponseMeta {
  const { request, config } = call;
  const { shared } = call.context;
  const { status } = response;
  let parsed: ResponseMeta | undefined;
  const meta = () => (parsed ??= parseResponseMeta(response, config, call.keys, config.log.warn));
  // The response to an attempt that has timed out must not be taken for that of the next one.
  if (!isLate) call.readMeta = meta;
  request.observer?.onResponse?.(meta(), isLate);
  config.log.debug(
    () => `${routeOf(request)}: status ${status}, request id ${meta().requestId ?? 'unknown'}`,
  );
  if (status < 400) shared.retryBudget.refund();
  if (request.usesSlot && (status < 400 || meta().concurrency.limit !== undefined)) {
    shared.concurrency.recordLimits(meta().concurrency);
  }
  if (request.paid) call.recordCharge(meta());
  return meta;
}

/** What recognizes refused signals. Loaded after the refusal: `fetch` refuses a signal only outside browsers. */
export const refusals = /* @__PURE__ */ new Part(() => import('../http/refused-signal.ts'));

/** What an error that `fetch` rejected with means, if it may have refused the signal, or else the error. */
export async function explainRefusal(
  error: unknown,
  ...sent: [signal: AbortSignal, fetch: typeof globalThis.fetch]
): Promise<unknown> {
  if (!causeChain(error).some(({ message }) => message.includes('AbortSignal'))) return error;
  const loaded = await refusals.load().catch(() => undefined);
  return loaded?.refusedSignal(error, ...sent) ?? error;
}
