import { parseURL, isRecord } from '../../../wire/types/type-guards.ts';
import type { DiagnosisContext } from '../run/context.ts';

/** One operation of an OpenAPI document, such as `GET /v1/videos/{}`. */
export interface DocumentOperation {
  readonly method: string;
  /** Path below the base URL, with the names of its parameters. */
  readonly path: string;
}

/** The operations of an OpenAPI document. */
export function operationsOf(document: Record<string, unknown>): DocumentOperation[] {
  const { paths, servers } = document;
  const server: unknown = Array.isArray(servers) ? servers[0] : undefined;
  const prefix = isRecord(server) ? serverPath(server['url']) : '';
  return Object.entries(isRecord(paths) ? paths : {}).flatMap(([path, item]) =>
    Object.keys(isRecord(item) ? item : {})
      .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
      .map((method) => ({ method: method.toUpperCase(), path: withPrefix(path, prefix) })),
  );
}

/** The poll paths that the document of the service may name, as templates with `{id}`. */
export async function documentPaths(context: DiagnosisContext, pattern: RegExp): Promise<string[]> {
  const document = await context.openapi().catch((error: unknown) => {
    if (context.signal?.aborted) throw error;
    return {};
  });
  return operationsOf(document)
    .filter(({ method, path }) => method === 'GET' && pattern.test(path))
    .filter(({ path }) => /^[^{}%]*\/\{[^{}]+\}$/.test(path) && !/voice|material|model/.test(path))
    .map(({ path }) => path.replace(/\{[^{}]+\}$/, '{id}'))
    .filter((template) => isPath(template.replace('{id}', 'id')))
    .slice(0, 4);
}

/** Whether a path can be requested as it is: a document may contain anything. */
const isPath = (path: string): boolean => parseURL(path, 'https://host.invalid')?.pathname === path;

/** Documents name paths below `/v1` or below the origin. */
function withPrefix(path: string, prefix: string): string {
  return /^\/(v\d|api)/.test(path) ? path : prefix + path;
}

function serverPath(url: unknown): string {
  const { pathname = '' } = parseURL(String(url), 'https://host.invalid') ?? {};
  return pathname.replace(/\/$/, '') || '/v1';
}
