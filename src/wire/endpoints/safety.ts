/**
 * Whether a request may be sent again. Everything that depends on this uses it: retries, idempotency keys, what a
 * budget reserves, and what an error says about charges.
 *
 * - `safe`: always. The request costs nothing, and a repetition changes nothing.
 * - `keyed`: with the same idempotency key. The service executes and charges it once per key.
 * - `once`: only if the service has certainly not executed it. Each request that it receives may be charged.
 */
export type Safety = 'safe' | 'keyed' | 'once';

/** The safety of an endpoint's requests. */
export interface RequestSafety {
  readonly safety: Safety;
  /** The member of the option `retryAmbiguous` with which requests are `keyed` instead. */
  readonly keyedIf?: 'chat' | 'voices';
}

/** The safety of a request, given what the caller has declared to be `keyed`. */
export function safetyOf(
  { safety, keyedIf }: RequestSafety,
  retryAmbiguous: { readonly chat?: boolean | undefined; readonly voices?: boolean | undefined },
): Safety {
  return keyedIf && retryAmbiguous[keyedIf] ? 'keyed' : safety;
}

/**
 * Whether a request whose endpoint is not known may cost money: unless its method can be repeated, by the HTTP standard.
 */
export const isPaidMethod = (method: string): boolean =>
  !/^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method);

/**
 * The safety of a request whose endpoint is not known, and whether it may cost money: what its method means, and whether the
 * caller has declared that it can be repeated.
 */
export function unknownRequest(
  method: string,
  isIdempotent?: boolean,
): { readonly safety: Safety; readonly paid: boolean } {
  const paid = isPaidMethod(method);
  if (!(isIdempotent ?? !paid)) return { safety: 'once', paid };
  return { safety: paid ? 'keyed' : 'safe', paid };
}
