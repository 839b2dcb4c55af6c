import { APIError } from '../../../errors/responses.ts';
import type { ResponseMeta } from '../../../wire/types/meta.ts';
import { headersOf } from '../../http/direct-response.ts';
import { explainRefusal } from '../../http/explain-refusal.ts';
import { withoutHalfPairs } from '../../http/json.ts';
import { buildRequestHeaders, resolveApiKey } from '../../http/request-headers.ts';
import { readErrorText } from '../../http/response-body.ts';
import { parseResponseMeta } from '../../http/response-meta.ts';
import { parseRetryAfter } from '../../http/retry-after.ts';
import type { Attempt, HttpRequest } from '../../http/transport.ts';
import type { SlotLease } from '../../limits/slot-lease.ts';
import { runWithTimeLimit } from '../../limits/time-limit.ts';
import type { CheckTime } from '../../limits/time-limit.ts';
import { routeOf } from '../api-call.ts';
import { recordCharge } from '../charges.ts';
import type { ApiResponse } from '../response.ts';
import type { RunningCall } from '../running-call.ts';

/**
 * Sends a call once, within the time limit of an attempt, and reads its response. Rejects with one of the errors of the
 * call. Both limits, its own and that of the whole call, are checked right before it is sent: the response to a request
 * that is sent too late would be paid for and lost.
 */
export function attempt<Result>(
  running: RunningCall<Result>,
  lease: SlotLease,
  signal: AbortSignal | undefined,
  checkTotal: CheckTime | undefined,
): Promise<ApiResponse<Result>> {
  const { context, call, errors, limits } = running;
  const { clock } = context.config;
  const isPassedOn = call.returnsErrorResponses ? isErrorResponse : undefined;
  const limit = { clock, signal, ms: limits.timeout, errors, isPassedOn };
  return runWithTimeLimit((limited, checkAttempt) => {
    const checkBoth = () => {
      checkTotal?.();
      checkAttempt();
    };
    return exchange(running, lease, limited, checkTotal ? checkBoth : checkAttempt);
  }, limit);
}

const isErrorResponse = (error: unknown) => APIError.is(error);

/** Sends the request and reads its response. */
async function exchange<Result>(
  running: RunningCall<Result>,
  lease: SlotLease,
  signal: AbortSignal,
  checkTime: CheckTime,
): Promise<ApiResponse<Result>> {
  const { context, call, history, handle, errors, span } = running;
  const { config } = context;
  const { response, meta } = await send(running, signal, checkTime);
  if (signal.aborted) response.body?.cancel().catch(() => undefined);
  signal.throwIfAborted();
  if (response.ok) {
    const received = { response, meta, call, history, errors, config, span, lease, signal };
    const data = await handle(received);
    return { response, meta, data, model: call.model, isOpen: lease.isTransferred };
  }
  call.observer?.onErrorResponse?.(response, meta());
  const text = await readErrorText(response, signal);
  throw errors.apiError(meta(), text, parseRetryAfter(headersOf(response), config.clock.now()));
}

/** Sends the request. The body of the response is not read. */
async function send<Result>(
  running: RunningCall<Result>,
  signal: AbortSignal,
  checkTime: CheckTime,
) {
  const { context, call, history, errors, span } = running;
  const { config, transport } = context;
  let meta: (() => ResponseMeta) | undefined;
  const onResponse = (received: Response) =>
    (meta ??= recordResponse(running, received, signal.aborted));
  try {
    const pendingKey = call.credentials === false ? null : resolveApiKey(config);
    const apiKey = pendingKey instanceof Promise ? await pendingKey : pendingKey;
    signal.throwIfAborted();
    const url = config.baseURL + (call.path ?? call.template);
    const request = createRequest(running, apiKey, signal);
    history.addHeaders(request.headers);
    const details: Attempt = {
      retryCount: history.attempts,
      onSend: (changed) => {
        checkTime();
        if (changed) history.addHeaders(Object.fromEntries(changed));
        history.isSent = true;
        call.observer?.onSend?.();
      },
      onResponse,
    };
    const sendRequest = () => transport(url, request, details);
    const response = await (span ? span.runAttempt(sendRequest) : sendRequest());
    return { response, meta: onResponse(response) };
  } catch (error) {
    throw errors.sendError(await explainRefusal(error, signal, config.fetch));
  }
}

/** The body as it is sent: JSON without halves of surrogate pairs. */
const toSend = <Body>(body: string | Body, type = '') =>
  /\bjson\b/i.test(type) ? withoutHalfPairs(body) : body;

function createRequest<Result>(
  { context, call, options }: RunningCall<Result>,
  apiKey: string | null,
  signal: AbortSignal,
): HttpRequest {
  const { config } = context;
  const headers = buildRequestHeaders(call, options, config, apiKey);
  const request: HttpRequest = {
    method: call.method,
    headers,
    body: call.body === undefined ? null : toSend(call.body, headers['content-type']),
    signal,
    // A redirect could take the API key elsewhere.
    redirect: 'manual',
  };
  // Assigned separately: a conditional spread is slower than the rest of this function.
  if (config.cache) request.cache = config.cache;
  return request;
}

/**
 * Records what any response reports: its charge, the account's limits, and that the service works. Runs even if the
 * caller has aborted: every charge must reach the ledger. Returns a function that parses the metadata.
 */
function recordResponse<Result>(
  running: RunningCall<Result>,
  response: Response,
  isLate: boolean,
): () => ResponseMeta {
  const { context, call, history, reservation } = running;
  const { config, shared } = context;
  const { status } = response;
  let parsed: ResponseMeta | undefined;
  const meta = () =>
    (parsed ??= parseResponseMeta(response, config, history.keys, config.log.warn));
  // The response to an attempt that has timed out must not be taken for that of the next one.
  if (!isLate) history.readMeta = meta;
  call.observer?.onResponse?.(response);
  config.log.debug(
    () => `${routeOf(call)}: status ${status}, request id ${meta().requestId ?? 'unknown'}`,
  );
  if (status < 400) shared.retryBudget.refund();
  if (call.usesSlot && (status < 400 || meta().concurrency.limit !== undefined)) {
    shared.concurrency.recordLimits(meta().concurrency);
  }
  if (reservation) recordCharge(running, reservation, response.ok, meta());
  return meta;
}
