import type { TaskKind } from '../types/tasks/task.ts';

/**
 * One endpoint of the service, as pure data. The methods of the client, `gateway.fetch`, telemetry, the proxy and doctor
 * follow it. Specification: Endpoints.
 */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path template. A placeholder can only be its last segment. */
  readonly path: string;
  /** Who may use it: `public` needs no API key and must not receive one, `owner` shows the account to its owner. */
  readonly audience: 'public' | 'user' | 'owner';
  /** Whether a request may be sent again. */
  readonly safety: Safety;
  /** The member of the option `retryAmbiguous` with which requests are `keyed` instead. */
  readonly keyedIf?: 'chat' | 'voices';
  /** Whether a request costs money. */
  readonly paid?: boolean;
  /** Whether a request holds one of the account's concurrency slots. */
  readonly usesSlot?: boolean;
  /** What a submission generates. */
  readonly kind?: TaskKind;
  /** How its price is estimated: a name in `requestPrice`. Without one, it is known only after the request. */
  readonly price?: 'image' | 'video' | 'audio' | 'voiceClone' | 'voiceDesign';
  /** The option with the timeout of one attempt. @defaultValue `'timeout'` */
  readonly timeout?: 'chatTimeout';
  /** The header that carries the idempotency key. @defaultValue `'x-idempotency-key'` */
  readonly idempotencyHeader?: 'idempotency-key';
  /** Whether every request carries an idempotency key, although the service may ignore it. */
  readonly sendsKey?: boolean;
  /** Whether the body names a model. @defaultValue true */
  readonly hasModel?: boolean;
  /** What it creates or returns that belongs to one user of the account, apart from tasks, which have a `kind`. */
  readonly resource?: 'material' | 'voice';
  /** Whether it lists resources of several users of the account, each of whom may see only their own. */
  readonly isList?: boolean;
  /** Names of the query parameters. */
  readonly query?: readonly string[];
  /** Whether the specification does not mention it. */
  readonly isAssumed?: boolean;
}

/** An endpoint that creates tasks. */
export interface SubmitEndpoint extends Endpoint {
  readonly kind: TaskKind;
  readonly price: TaskKind;
}

/**
 * Whether a request may be sent again. Everything that depends on this uses it: retries, idempotency keys, what a
 * budget reserves, and what an error says about charges.
 *
 * - `safe`: always. The request costs nothing, and a repetition changes nothing.
 * - `keyed`: with the same idempotency key. The service executes and charges it once per key.
 * - `once`: only if the service has certainly not executed it. Each request that it receives may be charged.
 */
export type Safety = 'safe' | 'keyed' | 'once';

/** The safety of a request, given what the caller has declared to be `keyed`. */
export function safetyOf(
  { safety, keyedIf }: Pick<Endpoint, 'safety' | 'keyedIf'>,
  retryAmbiguous: { readonly chat?: boolean | undefined; readonly voices?: boolean | undefined },
): Safety {
  return keyedIf && retryAmbiguous[keyedIf] ? 'keyed' : safety;
}
