import type { Services } from '../services.ts';
import type { Caller } from '../state.ts';

/** An authenticated request, as its endpoint handles it. */
export interface RequestContext extends Caller {
  services: Services;
  /** The gateway's origin as the caller addressed it. Links in responses start with it. */
  origin: string;
  headers: Headers;
  query: URLSearchParams;
  /** The decoded path parameters, by name. */
  params: Readonly<Record<string, string>>;
  /** The parsed body. */
  body: unknown;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal | undefined;
}

/** Returns the value of a path parameter. */
export function param(context: RequestContext, name: string): string {
  return context.params[name] ?? '';
}
