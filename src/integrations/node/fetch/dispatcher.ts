import { createRequire } from 'node:module';

import { ConfigurationError } from 'polygate';
import type * as Undici from 'undici';

import { unchecked } from '../../../wire/types/schema.ts';

export type DispatchController = Undici.Dispatcher.DispatchController;

/**
 * What {@link nodeFetch} needs of a dispatcher. Not undici's own type: it may not be installed, or have two versions.
 */
export interface NodeFetchDispatcher {
  /** Sends a request, and passes what arrives to the handler. */
  dispatch(options: object, handler: object): boolean;
}

/** Options of {@link nodeFetch}. */
export interface NodeFetchOptions {
  /**
   * Maximum number of connections per origin.
   * @defaultValue 64
   */
  connections?: number | undefined;
  /**
   * Negotiates HTTP/2 with servers that support it over TLS. `false` uses HTTP/1.1 only.
   * @defaultValue `false`
   */
  http2?: boolean | undefined;
  /**
   * `'env'` reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; otherwise the URL of an HTTP proxy.
   * @defaultValue no proxy
   */
  proxy?: 'env' | (string & {}) | undefined;
  /**
   * Time limit for opening a connection, in milliseconds.
   * @defaultValue 10,000
   */
  connectTimeout?: number | undefined;
  /**
   * An undici dispatcher that sends the requests, instead of the other options: for example an `Agent` with the
   * certificate of a private authority. It is not closed by `close()`.
   */
  dispatcher?: NodeFetchDispatcher | undefined;
}

/** A dispatcher, and what is known about it. */
export interface Sender {
  readonly dispatcher: NodeFetchDispatcher;
  /** Whether it is known to resend only what the server has not processed. */
  readonly mayReplay: boolean;
  close(): Promise<void>;
}

/** Creates the dispatcher for checked options. */
export function createSender(options: NodeFetchOptions): Sender {
  const { connections = 64, http2 = false, proxy, connectTimeout = 10_000 } = options;
  if (options.dispatcher) {
    const { dispatcher } = options;
    const mayReplay = isCareful(versionOf(dispatcher));
    // The caller who created it closes it.
    return { dispatcher, mayReplay, close: () => Promise.resolve() };
  }
  const { undici, version } = loadUndici();
  const connection = { timeout: connectTimeout, allowH2: http2 };
  const shared = {
    connections,
    allowH2: http2,
    connect: connection,
    // The client has its own timeouts. Those of undici would end a long chat after five minutes.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const proxied = { ...shared, proxyTls: connection, requestTls: connection };
  const dispatcher =
    proxy === undefined
      ? new undici.Agent(shared)
      : proxy === 'env'
        ? new undici.EnvHttpProxyAgent(proxied)
        : new undici.ProxyAgent({ ...proxied, uri: proxy });
  return { dispatcher, mayReplay: isCareful(version), close: () => dispatcher.close() };
}

/**
 * The version of undici that a caller's dispatcher is from: of the loaded modules, the one with its class. Undefined if there
 * is none, as in a bundle that contains undici, or if the modules cannot be searched.
 */
function versionOf(dispatcher: NodeFetchDispatcher): string | undefined {
  try {
    // Any path will do, because all share one cache. That of this file is not known in a bundle of CommonJS.
    const require = createRequire(process.execPath);
    for (const path in require.cache) {
      if (!/[\\/]undici[^\\/]*[\\/]index\.js$/.test(path)) continue;
      const { Dispatcher } = unchecked<Partial<typeof Undici>>(require(path));
      if (!Dispatcher || !(dispatcher instanceof Dispatcher)) continue;
      const { name, version } = packageOf(require, `${path}/..`);
      // Another package may only pass on the class.
      if (name === 'undici') return version;
    }
  } catch {
    // A module with such a path can be anything.
  }
  return undefined;
}

/**
 * Whether this version checks the last stream of a GOAWAY before it sends requests again. Earlier ones do not, and an unknown
 * one may not.
 */
function isCareful(version = '0'): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 8 || (major === 8 && minor >= 4);
}

/** Describes the package in a folder, or with a name. */
const packageOf = (require: NodeJS.Require, folder: string) =>
  unchecked<{ name: string; version: string }>(require(`${folder}/package.json`));

/** Loads undici when it is first needed, because it is an optional peer. */
function loadUndici() {
  const require = createRequire(import.meta.url);
  try {
    const undici = unchecked<typeof Undici>(require('undici'));
    return { undici, version: packageOf(require, 'undici').version };
  } catch (cause) {
    throw new ConfigurationError('nodeFetch: undici is missing. Run `npm install undici`.', {
      cause,
    });
  }
}
