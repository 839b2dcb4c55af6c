import { textOf } from '../../schemas/record.ts';

/** Something global by its path; undefined where there is none or it may not be read (Deno). */
function globalAt(path: string): unknown {
  let at: unknown = globalThis;
  try {
    for (const name of path.split('.')) at = Reflect.get(Object(at), name);
    return at;
  } catch {
    return undefined;
  }
}

/** An environment variable, when it is set and not empty. */
export function readEnvironment(name: string): string | undefined {
  return textOf(globalAt(`process.env.${name}`));
}

/** Whether this is a page, or a worker of one, where everybody can read the code and what it holds. */
export function isBrowser(): boolean {
  if (globalAt('window.document') !== undefined) return true;
  // Every browser's worker has a navigator; Cloudflare's workers of an old date have none.
  const worker = globalAt('WorkerGlobalScope') !== undefined && globalAt('navigator') !== undefined;
  const server = globalAt('Deno') ?? globalAt('process.versions.node');
  return worker && server === undefined && !isCloudflare();
}

/** Whether this is Deno. Asked for every request, as the next one is. */
export function isDeno(): boolean {
  return 'Deno' in globalThis;
}

/** Whether this is one of Cloudflare's workers. */
export function isCloudflare(): boolean {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers';
}

/** The address of the page, against which a relative base URL resolves. */
export function pageURL(): string | undefined {
  const href = textOf(globalAt('location.href'));
  return href?.startsWith('http') ? href : undefined;
}
