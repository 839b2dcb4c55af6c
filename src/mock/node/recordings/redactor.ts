import { redactKeys } from '../../../wire/types/redact-key.ts';
import { mapLiterals, mapStrings } from './json.ts';

/** The origin of the gateway on a tape. */
export const recordedGateway = 'https://gateway.invalid';

/** The host of links to results on a tape. */
export const linkHost = 'recorded.invalid';

/** What replaces a secret on a tape. */
export const redacted = '[redacted]';

/** Headers that carry an API key. */
const keyHeader = /^(proxy-)?authorization$|(^|-)(api-?key|key|token|secret)$/i;
const idempotencyHeader = /idempotency/i;

/** Shorter keys are placeholders, and replacing them would garble words. */
const minKeyLength = 8;

/** The number before that of the first link that a request contains. */
const beforeInputs = 10_000;

/** The number of a link on a tape. */
const linkNumber = new RegExp(`https://${linkHost}/(\\d{1,9})(?!\\d)`, 'g');

/**
 * Replaces what must not reach a tape: API keys, links to results, whatever grants access to a file, and what the user's
 * own function replaces. Remembers the keys and links that it has seen.
 */
export class Redactor {
  readonly #keys = new Set<string>();
  readonly #links = new Map<string, string>();
  /** How many links results have, and how many only requests. A replay sees only the latter, and numbers them alike. */
  readonly #count = { results: 0, inputs: 0 };
  readonly #custom: (text: string) => string;

  constructor(custom: (text: string) => string = (text) => text) {
    this.#custom = custom;
  }

  /** Numbers further results after those of a tape. */
  continueAfter(tape: string): void {
    const numbers = Array.from(tape.matchAll(linkNumber), ([, number]) => Number(number));
    for (const number of numbers) {
      if (number <= beforeInputs) this.#count.results = Math.max(this.#count.results, number);
    }
  }

  /** Remembers the API key of a request. */
  learnKeys(headers: Headers, url: URL): void {
    const values: string[] = [];
    for (const [name, value] of headers) {
      const isKey = keyHeader.test(name) && !idempotencyHeader.test(name);
      if (isKey) values.push(value.replace(/^\S+ +/, ''));
    }
    for (const [name, value] of url.searchParams) if (keyParameter.test(name)) values.push(value);
    for (const value of values.filter(({ length }) => length >= minKeyLength)) {
      for (const form of [value, ...base64Forms(value)]) this.#keys.add(form);
    }
  }

  /** The path and query of a request to the gateway, or the link that a request to another host has on the tape. */
  address(url: URL, gateway: string | undefined): string {
    const link = this.#links.get(url.href);
    if (link !== undefined) return link;
    const isGateway = gateway === undefined || url.origin === gateway;
    // A link to another host is replaced as a whole.
    if (!isGateway && grantsAccess(url.href)) return this.#linkOf(url.href, 'inputs');
    const query = this.query(url.searchParams);
    query.sort();
    const path = url.pathname.split('/').map((segment) => this.#segment(segment));
    const search = query.size > 0 ? `?${query}` : '';
    return this.text(`${isGateway ? '' : url.origin}${path.join('/')}${search}`, 'inputs');
  }

  /** The parameters of a query or form. */
  query(parameters: URLSearchParams): URLSearchParams {
    const query = new URLSearchParams();
    for (const [name, value] of parameters) {
      const safe = isSecretParameter(name) ? redacted : this.text(value, 'inputs');
      query.append(this.text(name, 'inputs'), safe);
    }
    return query;
  }

  /** The text of a message, without what must not be stored. */
  text(text: string, source: 'results' | 'inputs' = 'results'): string {
    const isSecret = (url: string) => grantsAccess(url) || this.#links.has(hrefOf(url));
    const replace = (url: string): string => {
      if (!isSecret(url)) return url;
      // The client sends a request to it, and the tape contains that by its path.
      if (url.startsWith(`${recordedGateway}/`)) return withoutSecretParameters(url);
      return this.#linkOf(url, source);
    };
    let result = /^https?:\/\/\S+$/i.test(text) ? replace(text) : text;
    if (result.startsWith('/')) result = withoutSecretParameters(result);
    result = result.replace(urlInText, replace);
    result = result.replace(longUrlInText, replace);
    return this.#custom(redactKeys(result, [...this.#keys], redacted));
  }

  /** The body of a request. Links that were results of an earlier request are those of the tape. */
  request(body: unknown): unknown {
    return mapStrings(body, (text) => this.text(text, 'inputs'));
  }

  /** A body that is stored as text. It may contain JSON, in whose strings characters are escaped. */
  requestText(body: string): string {
    const inJson = mapLiterals(body, (text) => this.text(text, 'inputs'));
    return this.text(inJson, 'inputs');
  }

  /** A header of a response from the given gateway. */
  header(value: string, gateway: string | undefined): string {
    return this.text(ownUrl(value, gateway));
  }

  /** The body of a response from the given gateway. */
  response(body: unknown, gateway: string | undefined): unknown {
    return mapStrings(body, (text, field) => this.#value(text, field, gateway));
  }

  /** A body, or an event, that is stored as text. It may contain JSON, in whose strings characters are escaped. */
  responseText(body: string, gateway: string | undefined): string {
    const inJson = mapLiterals(body, (text, field) => this.#value(text, field, gateway));
    return this.text(inJson);
  }

  /** A file without API keys. It keeps its length, which headers may state. */
  file(bytes: Uint8Array): Uint8Array {
    const text = Buffer.from(bytes).toString('latin1');
    const keys = [...this.#keys].map((key) => Buffer.from(key).toString('latin1'));
    return Buffer.from(
      redactKeys(text, keys, (key) => '*'.repeat(key.length)),
      'latin1',
    );
  }

  #value(text: string, field: string, gateway: string | undefined): string {
    return isResult(text, field) ? this.#linkOf(text, 'results') : this.text(ownUrl(text, gateway));
  }

  #segment(segment: string): string {
    const text = decoded(segment);
    const safe = this.text(text, 'inputs');
    return safe === text ? segment : encodeURIComponent(safe);
  }

  #linkOf(url: string, source: 'results' | 'inputs'): string {
    if (url.startsWith(`https://${linkHost}/`)) return url;
    const href = hrefOf(url);
    const known = this.#links.get(href);
    if (known !== undefined) return known;
    this.#count[source] += 1;
    const number = this.#count[source] + (source === 'inputs' ? beforeInputs : 0);
    const link = `https://${linkHost}/${number}`;
    this.#links.set(href, link);
    return link;
  }
}

/**
 * What a text in base64 contains of a key, for each position that the key can have in groups of three bytes. The
 * characters at both ends depend on what surrounds the key.
 */
function base64Forms(key: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(key)]);
    const [start, end] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return [bytes.toString('base64'), bytes.toString('base64url')].map((text) =>
      text.slice(start, end),
    );
  });
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Query parameters that carry an API key. */
const keyParameter = /^(api[-_]?)?key$/i;

/** Query parameters that give access to a file. */
const accessParameter =
  /sig|token|expir|credential|policy|secret|passw|auth|jwt|hmac|access[-_]?key|key[-_]?pair|^x-(amz|goog)-|^se$/i;

/** Fields of a response with the URL of a result, or with a secret one. Poll URLs lead to the gateway itself. */
const resultField = /urls?$|^(outputs?|results?|images?|videos?|audios?|files?)$/i;
const pollField = /^(poll|status)_?url$/i;

/** A URL in a text, without the punctuation that follows it. */
const urlInText = /https?:\/\/[^\s"'<>\\`)]*[^\s"'<>\\`).,;:!?]/gi;

/** The same, including characters that may also end a URL, such as the parentheses of `a(1).png`. */
const longUrlInText = /https?:\/\/[^\s"<>\\`]*[^\s"<>\\`).,;:!?']/gi;

/** Whether a field of a response is the URL of a result. */
const isResult = (text: string, field: string): boolean =>
  /^https?:\/\//i.test(text) && resultField.test(field) && !pollField.test(field);

/** Whether a query parameter must not be stored. */
const isSecretParameter = (name: string): boolean =>
  accessParameter.test(name) || keyParameter.test(name);

/** Whether a URL gives access to what others may not see. */
function grantsAccess(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, searchParams } = new URL(text);
  return username + password !== '' || [...searchParams.keys()].some(isSecretParameter);
}

/** The same URL or path, without the values of its secret parameters. */
function withoutSecretParameters(url: string): string {
  return url.replace(/([?&])([^?=&#]+)=([^&#]*)/g, (whole, mark: string, name: string) =>
    isSecretParameter(name) ? `${mark}${name}=${encodeURIComponent(redacted)}` : whole,
  );
}

/** One spelling of each URL. */
const hrefOf = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

/** A URL of the gateway, as it is stored. */
function ownUrl(text: string, gateway: string | undefined): string {
  const isOwn = gateway !== undefined && text.startsWith(`${gateway}/`);
  return isOwn ? recordedGateway + text.slice(gateway.length) : text;
}

/** A URL of the gateway on a tape, with the origin that is called. */
export function restoreGateway(text: string, origin: string): string {
  return text.startsWith(`${recordedGateway}/`)
    ? origin + text.slice(recordedGateway.length)
    : text;
}
