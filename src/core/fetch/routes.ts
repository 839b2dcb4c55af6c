import { unchecked } from '../../schemas/schema.ts';
import type { TaskKind } from '../../schemas/task.ts';
import { isRecord } from '../../schemas/type-guards.ts';
import type { ApiCall } from '../call/api-call.ts';
import type { Config } from '../config/config.ts';
import { requestPrice } from '../limits/request-price.ts';
import type { PriceEstimator } from '../limits/request-price.ts';

/** How the client treats the requests to one route of the specification. */
export interface Route extends Pick<
  ApiCall,
  'safety' | 'paid' | 'usesSlot' | 'headers' | 'idempotencyHeader' | 'credentials' | 'timeout'
> {
  /** Whether the specification has this route, and its response is one JSON document or an event stream. */
  readonly documented?: boolean;
  /** Whether a request that may not be repeated gets a key all the same. */
  readonly hasKey?: boolean;
  /** Whether the response can be a streamed chat. */
  readonly isChat?: boolean;
  /** What a submission generates. */
  readonly kind?: TaskKind;
  /** Estimates the price of a request with these params. */
  readonly price?: (params: Readonly<Record<string, never>>) => PriceEstimator;
}

function submission(kind: TaskKind, price: NonNullable<Route['price']>): Route {
  return { documented: true, safety: 'keyed', paid: true, usesSlot: true, kind, price };
}

const image = submission('image', requestPrice.image);
const video = submission('video', requestPrice.video);
const audio = submission('audio', requestPrice.audio);

function voices(price: NonNullable<Route['price']>) {
  return ({ retryAmbiguous }: Config): Route => ({
    documented: true,
    safety: retryAmbiguous.voices ? 'keyed' : 'once',
    hasKey: true,
    paid: true,
    usesSlot: true,
    price,
  });
}

/** The documented POST routes. */
const posts = new Map<string, (config: Config) => Route>(
  Object.entries<(config: Config) => Route>({
    '/v1/chat/completions': ({ retryAmbiguous, chatTimeout }) => ({
      documented: true,
      isChat: true,
      safety: retryAmbiguous.chat ? 'keyed' : 'once',
      paid: true,
      usesSlot: true,
      timeout: chatTimeout,
    }),
    '/v1/images/generations': () => image,
    '/v1/images/tasks': () => image,
    '/v1/videos': () => video,
    '/v1/video/generations': () => video,
    '/v1/videos/generations': () => video,
    '/v1/audio/tasks': () => audio,
    '/v1/audio/voices/clone': voices(requestPrice.voiceClone),
    '/v1/audio/voices/design': voices(requestPrice.voiceDesign),
    '/v1/materials': () => ({
      documented: true,
      safety: 'keyed',
      idempotencyHeader: 'idempotency-key',
    }),
  }),
);

/** The routes that need no credentials, and must not receive any. Specification: Public endpoints. */
const publicPath =
  /^\/v1\/(status|capabilities|errors(\/[^/]+)?|changelog|pricing|rate-limits|openapi\.json)$/;

/** The other routes without a body that the specification has, and the poll paths. Assumptions A1 and A2. */
const documentedPath =
  /^\/(v1\/(account|readiness|models(\/.+)?|audio\/voices|materials(\/[^/]+)?|(audio|images)\/tasks\/[^/]+|(images|videos?)\/generations\/[^/]+|videos\/[^/]+)|api\/usage\/balance)$/;

/** Methods that can be repeated, by the HTTP standard. */
const safeMethod = /^(GET|HEAD|OPTIONS|PUT|DELETE)$/;

/** What `fetch` accepts if the caller says nothing. */
const anyType = { headers: { accept: '*/*' } };

/**
 * The route of a request. One that the specification does not have may cost money, and is sent once if its method does
 * not say that it can be repeated.
 */
export function findRoute(method: string, path: string, config: Config): Route {
  const post = method === 'POST' && posts.get(path)?.(config);
  if (post) return post;
  if (!safeMethod.test(method)) return { ...anyType, safety: 'once', paid: true };
  if (publicPath.test(path)) return { documented: true, safety: 'safe', credentials: false };
  if (documentedPath.test(path)) return { documented: true, safety: 'safe' };
  return { ...anyType, safety: 'safe' };
}

/** What a request body reveals about its call: the model, how to estimate the price, and what to expect of a stream. */
export function describeBody(price: Route['price'], body: unknown) {
  const params = isRecord(body) ? body : {};
  const { model, n, stream } = params;
  return {
    model: typeof model === 'string' ? model : undefined,
    isStream: stream === true,
    choiceCount: typeof n === 'number' ? n : 1,
    estimateUsd: price && safely(price, unchecked(params)),
  };
}

/** A body that was not checked can make its estimator fail. Its price is then unknown. */
function safely(
  price: NonNullable<Route['price']>,
  params: Readonly<Record<string, never>>,
): PriceEstimator {
  return (prices) => {
    try {
      return price(params)(prices);
    } catch {
      return undefined;
    }
  };
}
