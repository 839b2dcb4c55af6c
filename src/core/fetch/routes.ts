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
  'safety' | 'paid' | 'usesSlot' | 'idempotencyHeader' | 'credentials' | 'timeout'
> {
  /** Whether the specification has this route, and its response is one JSON document or an event stream. */
  readonly documented?: boolean;
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
const audio = submission('audio', (params) =>
  'text' in params || 'input' in params ? requestPrice.speech(params) : requestPrice.music(),
);

function voices(price: NonNullable<Route['price']>) {
  return ({ retryAmbiguous }: Config): Route => ({
    documented: true,
    safety: retryAmbiguous.voices ? 'keyed' : 'once',
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

/** The route of a request. A POST or PATCH that the specification does not have is sent once, and may cost money. */
export function findRoute(method: string, path: string, config: Config): Route {
  const documented = method === 'POST' && posts.get(path)?.(config);
  if (documented) return documented;
  if (method === 'POST' || method === 'PATCH') return { safety: 'once', paid: true };
  return { safety: 'safe', credentials: publicPath.test(path) ? false : undefined };
}

/** What a request body reveals about its call: the model, the number of choices, and how to estimate the price. */
export function describeBody(price: Route['price'], body: unknown) {
  const params = isRecord(body) ? body : {};
  const { model, n } = params;
  return {
    model: typeof model === 'string' ? model : undefined,
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
