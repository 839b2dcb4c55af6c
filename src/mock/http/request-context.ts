import type { Caller } from '../account/state.ts';
import type { Services } from '../services.ts';

/** An authenticated request, as its endpoint handles it. */
export interface RequestContext extends Caller {
  services: Services;
  /** The gateway's origin as the caller addressed it. Links in responses start with it. */
  origin: string;
  headers: Headers;
  query: URLSearchParams;
  /** The decoded values of the `{names}` in the path. */
  params: Readonly<Record<string, string>>;
  /** The parsed body. */
  body: unknown;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal | undefined;
}

/** The value of a `{name}` in the path. */
export function param(call: RequestContext, name: string): string {
  return call.params[name] ?? '';
}
