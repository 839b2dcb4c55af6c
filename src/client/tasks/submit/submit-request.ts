import type { SubmitEndpoint } from '../../../wire/endpoints/endpoint.ts';
import type { AttemptObserver } from '../../call/call.ts';
import { bodyParams, checkParams, toJson } from '../../call/params.ts';
import type { FindProblem } from '../../call/params.ts';
import type { RequestOptions } from '../../call/request-options.ts';
import { requestPrice } from '../../limits/prices.ts';
import type { PriceEstimator } from '../../limits/prices.ts';

/** A submission, as a resource describes it: its params are checked and serialized. */
export interface SubmitRequest {
  readonly endpoint: SubmitEndpoint;
  readonly model: string;
  /** The params as JSON. */
  readonly body: string;
  /** Estimates the price in USD from the model's prices. Returns undefined if they are unknown. */
  readonly estimateUsd: PriceEstimator;
  readonly observer?: AttemptObserver | undefined;
}

/** Checks the params of a submission, with `extraBody` merged in, and describes its request. */
export function describeSubmit(
  endpoint: SubmitEndpoint,
  given: { model: string },
  options: RequestOptions | undefined,
  findProblem?: FindProblem,
): SubmitRequest {
  const params = bodyParams(given, options);
  checkParams(params, findProblem);
  return describeChecked(endpoint, params);
}

/** Describes the request of a submission whose params have been checked. */
export function describeChecked(
  endpoint: SubmitEndpoint,
  params: { model: string },
): SubmitRequest {
  const estimateUsd = requestPrice[endpoint.price](params);
  return { endpoint, model: params.model, body: toJson(params), estimateUsd };
}
