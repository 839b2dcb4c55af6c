import type { Services } from '../services.ts';
import type { Key, User } from '../account/state.ts';

/** A request that was let in, as its endpoint sees it. */
export interface RequestContext {
  services: Services;
  /** Where the gateway is, as the caller addressed it: links in bodies begin with it. */
  origin: string;
  headers: Headers;
  query: URLSearchParams;
  /** What stands for the `{names}` of the path, decoded. */
  params: Readonly<Record<string, string>>;
  requestId: string;
  /** Such as `POST /v1/videos`. */
  route: string;
  /** The owner of the key; a nobody on public endpoints. */
  user: User;
  /** The key; undefined on public endpoints. */
  key: Key | undefined;
  /** The body as parsed. */
  body: unknown;
  bodyText: string;
  now: number;
  /** Aborted when the caller leaves. */
  signal: AbortSignal | undefined;
}

/** What stands for a name in the path. */
export function param(call: RequestContext, name: string): string {
  return call.params[name] ?? '';
}
