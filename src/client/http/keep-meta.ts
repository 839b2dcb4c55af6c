import type { ResponseMeta } from '../../wire/types/meta.ts';
import { unchecked } from '../../wire/types/schema.ts';
import { parseJson } from './json.ts';

/** A copy of the metadata that does not keep its response alive, as `Headers` can. */
export function keepMeta(meta: ResponseMeta): ResponseMeta {
  const { headers, ...fields } = meta;
  // The headers of a simulated response may lack an iterator. An error here would lose a task that is paid for.
  return Symbol.iterator in headers ? Object.assign(new KeptMeta(headers), fields) : meta;
}

/** Metadata whose headers are stored as one string. `Headers` take several times the memory. */
class KeptMeta {
  /** Parsed each time it is read. */
  declare readonly headers: Headers;
  readonly #text: string;

  /** A property of each object, because copies of an object lack the getters of its class. */
  static readonly #headers = {
    enumerable: true,
    get(this: KeptMeta): Headers {
      return new Headers(unchecked<[string, string][]>(parseJson(this.#text)));
    },
  };

  constructor(headers: Headers) {
    this.#text = JSON.stringify([...headers]);
    Object.defineProperty(this, 'headers', KeptMeta.#headers);
  }

  /** @internal A mark for Vue, whose proxies cannot read private members. */
  get __v_skip(): true {
    return true;
  }
}
