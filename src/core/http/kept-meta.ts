import type { ResponseMeta } from '../../schemas/meta.ts';
import { unchecked } from '../../schemas/schema.ts';
import { parseJson } from './json.ts';

/**
 * Metadata whose headers are one string, for as long as a task is waiting. `Headers` take several times the memory, and
 * can keep their whole response alive.
 */
class KeptMeta {
  readonly #text: string;

  constructor(headers: Headers) {
    this.#text = JSON.stringify([...headers]);
  }

  get headers(): Headers {
    return new Headers(unchecked<[string, string][]>(parseJson(this.#text)));
  }
}

/** A copy of the metadata that does not keep its response alive. */
export function keepMeta({ headers, ...fields }: ResponseMeta): ResponseMeta {
  return Object.assign(new KeptMeta(headers), fields);
}
