/**
 * What integrations and tools share with the client, besides its public names and the wire. They are built separately and
 * import the client by its name, so what belongs to one client is read with {@link contextOf}; the other names here are
 * rules, of which each build has a copy.
 */
import type { Polygate } from './client.ts';
import type { IntegrationContext } from './client/fetch/gateway-fetch.ts';
import { noMediaCode } from './client/tasks/media-check.ts';
import { isTemporary } from './client/tasks/poll-decisions.ts';
import type { PolygateError, MessageParts, Wording } from './errors/base.ts';
import { ConfigurationError } from './errors/base.ts';
import { ConnectionError } from './errors/call.ts';
import { toMessage } from './errors/message.ts';
import { APIError } from './errors/responses.ts';
import { clientContext } from './wire/types/client-defaults.ts';
import { unchecked } from './wire/types/schema.ts';
import { isRecord } from './wire/types/type-guards.ts';

/**
 * What integrations use of a client besides its public members.
 *
 * @throws {@link ConfigurationError} if it is a client of a version that does not provide it.
 */
export function contextOf(gateway: Polygate): IntegrationContext {
  const context = unchecked<Partial<Polygate>>(gateway)[clientContext];
  if (context) return context;
  throw new ConfigurationError(
    'gateway: must be a Polygate of the same version of polygate. Install one version only.',
  );
}

export type { IntegrationContext, MessageParts };

// Options and arguments
export {
  booleanValue,
  checkOptions,
  checkValue,
  functionValue,
  idempotencyKeyRule,
  nonNegativeInteger,
  nonNegativeNumber,
  objectWithMethods,
  oneOf,
  optionsProblem,
  positiveInteger,
  signalRule,
  stringValue,
} from './client/config/validation.ts';
export type { Rule, Rules } from './client/config/validation.ts';
export { optionAmong } from './client/call/request-options.ts';
export { isCloudflare, runtimeFetch, version } from './client/config/environment.ts';

// Requests and responses
export type { AttemptObserver } from './client/call/api-request.ts';
export { newIdempotencyKey, sentKeys, toHex } from './client/http/request-headers.ts';
export { checkResultURL } from './client/http/result-file.ts';
export { direct, isEventStream, readErrorText } from './client/http/response-body.ts';
export type { BodyReader, DirectResponse } from './client/http/response-body.ts';
export { bytesWithoutHalfPairs, ownHeaders } from './client/fetch/fetch-request.ts';
export { parseJson, sentence } from './client/http/json.ts';
export { emptyMeta, parseResponseMeta, parseRetryAfter } from './client/http/response-meta.ts';
export { networkAdvice, networkErrorMessage, networkOutcome } from './client/http/failure.ts';
export { parseErrorBody } from './client/http/failure.ts';
export { detailsOf } from './client/fetch/response-details.ts';
export type { ResponseMeta } from './wire/types/meta.ts';
export type { ResponseDetails } from './client/fetch/response-details.ts';
export { parseReceipt } from './client/tasks/task.ts';
export { isInvalidRecord, nextPollDelay, taskPollInterval } from './client/tasks/poll-decisions.ts';
export { contentText } from './client/chat/content.ts';
export { executableArguments, isExecutable } from './client/stream/tool-arguments.ts';

// What an error says about the request and its charge
export { canSucceedLater } from './client/call/retry.ts';
export { nothingCharged } from './client/call/compose-error.ts';
export {
  failedRow,
  isFinalError,
  KeyCharges,
  slotRejectionOf,
  withEarlierCharge,
} from './client/batch/charge-rules.ts';

// Prices, charges and budgets
export { listedPrice, requestPrice, resolutionPrices } from './client/limits/prices.ts';
export type { KnownPrices } from './client/limits/prices.ts';
export { highestBodyPrice, highestBodyUnits } from './client/limits/body-price.ts';
export { reservationProblem, highestPrice } from './client/batch/budget-decisions.ts';

// Rows of journals and queues
export { openJournal } from './client/batch/journal.ts';
export { readJournal } from './client/batch/journal-contents.ts';
export type { JournalContent, JournalRow } from './client/batch/journal-contents.ts';
export { rowKey, requestHash } from './client/batch/journal-line.ts';

// Downloads
export { headBytes } from './client/tasks/media-check.ts';

/**
 * Whether a download that has failed may succeed later: after an outage, or because the file was no media, such as a page
 * about one. Other files, limits and the caller's signal do not recover.
 */
export function canDownloadLater(error: unknown): boolean {
  if (APIError.is(error)) return isTemporary(error.status);
  return ConnectionError.is(error) || (isRecord(error) && error.code === noMediaCode);
}

/** The delay before a download that has failed is repeated, in ms: from half a second, doubled each time, to eight seconds. */
export const downloadDelay = (retry: number): number => Math.min(500 * 2 ** retry, 8_000);

/**
 * Waits for work, but no longer than `ms`: then returns what `onTimeout` returns, or rejects with what it throws. The work
 * continues.
 */
export async function waitAtMost<Result, Late>(
  ms: number,
  work: Promise<Result>,
  onTimeout: () => Late,
): Promise<Result | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}

/** The message of an error for people: without what only a program can do, and without the parts that `change` removes. */
export function messageForPeople(
  { message, parts }: PolygateError,
  change?: Partial<MessageParts>,
  wording?: Wording,
): string {
  return parts ? toMessage({ ...parts, programAdvice: undefined, ...change }, wording) : message;
}

/** The request that an error is about, such as `GET /v1/account`. */
export const requestOf = ({ parts }: PolygateError): string | undefined => parts?.request;

/** Whether the message of an error says something about charges. */
export const statesCharge = ({ parts }: PolygateError): boolean => parts?.charge !== undefined;
