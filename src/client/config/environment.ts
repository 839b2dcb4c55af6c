import { unchecked } from '../../wire/types/schema.ts';
import { textOf } from '../../wire/types/type-guards.ts';

/** The version of this package. A test compares it with package.json, which browsers and bundlers cannot read. */
export const version = '0.4.0';

/** The global at a path such as `process.env.NAME`; undefined if it is missing or may not be read (Deno). */
function readGlobal(path: string): unknown {
  try {
    return path
      .split('.')
      .reduce<unknown>((value, name) => Reflect.get(Object(value), name), globalThis);
  } catch {
    return undefined;
  }
}

/** An environment variable; undefined if it is not set, empty, or may not be read. */
export function readEnvironment(name: string): string | undefined {
  return textOf(readGlobal(`process.env.${name}`));
}

/** Whether the code runs in a browser page or web worker, where every visitor can read the code and its secrets. */
export function isBrowser(): boolean {
  if (readGlobal('window.document') !== undefined) return true;
  // Browser workers have a navigator; Cloudflare Workers with an old compatibility date have none.
  const isWorker =
    readGlobal('WorkerGlobalScope') !== undefined && readGlobal('navigator') !== undefined;
  const server = readGlobal('Deno') ?? readGlobal('process.versions.node');
  return isWorker && server === undefined && !isCloudflare();
}

/** Whether the code runs in Cloudflare Workers. */
export function isCloudflare(): boolean {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers';
}

/**
 * The `user-agent` of requests: `polygate/<version> (<runtime>/<version>)`. Undefined in browsers: there, a custom one
 * is ignored or needs the permission of the server (CORS).
 */
export function userAgent(): string | undefined {
  if (isBrowser()) return undefined;
  const runtime = isCloudflare()
    ? 'workerd'
    : ['bun', 'deno', 'node']
        .map((name) => [name, textOf(readGlobal(`process.versions.${name}`))])
        .find(([, found]) => found !== undefined)
        ?.join('/');
  return runtime && `polygate/${version} (${runtime})`;
}

/** Whether the code runs in Chromium, in a page or a worker. Must be cheap: it runs for every response. */
export function isChromium(): boolean {
  return globalThis.navigator?.userAgent?.includes('Chrome/') ?? false;
}

/** The URL of the page, against which a relative base URL resolves; undefined outside browsers. */
export function pageURL(): string | undefined {
  return textOf(readGlobal('location.href'));
}

/** The runtime's own `fetch`, looked up on every call. */
export const runtimeFetch: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, isDeno() && init?.body ? { ...init, body: blobBody(init.body) } : init);

/**
 * A body that the runtime sends only once. Deno's `fetch` automatically resends text and bytes when a kept-alive
 * connection breaks, so the service could charge twice. It sends a blob only once.
 */
export function blobBody<Body>(body: Body): Body | Blob {
  return body && isDeno() ? new Blob([unchecked<BlobPart>(body)]) : body;
}

function isDeno(): boolean {
  return 'Deno' in globalThis;
}

/**
 * Calls a callback when an object has been garbage collected. React Native and workers with an old compatibility date
 * lack `FinalizationRegistry`. A callback must not refer to its object, which could then never be collected.
 */
export const garbage =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : /* @__PURE__ */ new FinalizationRegistry<() => void>((callback) => callback());
