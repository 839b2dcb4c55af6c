import { mapStrings } from './json.ts';

/** The origin of the gateway on a tape. */
export const recordedGateway = 'https://gateway.invalid';

/** The host of links to results on a tape. */
export const linkHost = 'recorded.invalid';

const redacted = '[redacted]';

/** Headers that carry an API key. */
const keyHeaders = [
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
];

/** Query parameters that carry an API key. */
const keyParameter = /^(api[-_]?)?key$/i;

/** Query parameters that give access to a file. */
const accessParameter = /sig|token|expir|credential|policy|secret|^x-(amz|goog)-|^se$/i;

/** Fields of a response with the URL of a result, or with a secret one. Poll URLs lead to the gateway itself. */
const resultField = /(^|_)urls?$|^(outputs|results|images|videos|audios)$/i;
const pollField = /^(poll|status)_url$/i;

/** A URL in a text, without the punctuation that follows it. */
const urlPattern = /https?:\/\/[^\s"'<>\\`)]*[^\s"'<>\\`).,;:!?]/g;

/** Shorter keys are placeholders, and replacing them would garble words. */
const minKeyLength = 8;

/**
 * Replaces what must not reach a tape: API keys, links to results, whatever grants access to a file, and what the user's
 * own function replaces. Remembers the keys and links that it has seen.
 */
export class Redactor {
  readonly #keys = new Set<string>();
  readonly #links = new Map<string, string>();
  readonly #custom: (text: string) => string;

  constructor(custom: (text: string) => string = (text) => text) {
    this.#custom = custom;
  }

  /** Remembers the API key of a request. */
  learnKeys(headers: Headers, url: URL): void {
    const values = keyHeaders.map((name) => headers.get(name)?.replace(/^\w+ /, ''));
    for (const [name, value] of url.searchParams) if (keyParameter.test(name)) values.push(value);
    for (const value of values) {
      if (value !== undefined && value.length >= minKeyLength) this.#keys.add(value);
    }
  }

  /** The path and query of a request to the gateway, or the link that a request to another host has on the tape. */
  address(url: URL, gateway: string | undefined): string {
    const link = this.#links.get(url.href);
    if (link !== undefined) return link;
    const isGateway = gateway === undefined || url.origin === gateway;
    for (const name of new Set(url.searchParams.keys())) {
      // A link to another host is replaced as a whole.
      const isSecret = keyParameter.test(name) || (isGateway && accessParameter.test(name));
      if (isSecret) url.searchParams.set(name, redacted);
    }
    url.searchParams.sort();
    return isGateway ? this.text(url.pathname + url.search) : this.text(url.href);
  }

  /** The text of a message, without what must not be stored. */
  text(text: string): string {
    let result = text.replace(urlPattern, (url) =>
      grantsAccess(url) || this.#links.has(hrefOf(url)) ? this.#linkOf(url) : url,
    );
    for (const key of this.#keys) {
      result = result.replaceAll(key, redacted).replaceAll(encodeURIComponent(key), redacted);
    }
    return this.#custom(result);
  }

  /** The body of a request. Links that were results of an earlier request are those of the tape. */
  request(body: unknown): unknown {
    return mapStrings(body, (text) => this.#links.get(text) ?? this.text(text));
  }

  /** A header of a response from the given gateway. */
  header(value: string, gateway: string | undefined): string {
    return this.text(ownUrl(value, gateway));
  }

  /** The body of a response from the given gateway. */
  response(body: unknown, gateway: string | undefined): unknown {
    return mapStrings(body, (text, field) => {
      const isResult = /^https?:\/\//i.test(text) && resultField.test(field);
      if (isResult && !pollField.test(field)) return this.#linkOf(text);
      return this.text(ownUrl(text, gateway));
    });
  }

  /** Remembers the links in a body that is stored as text, because its numbers would lose digits. */
  learnLinks(text: string, gateway: string | undefined): void {
    try {
      this.response(JSON.parse(text), gateway);
    } catch {
      // It is not JSON.
    }
  }

  #linkOf(url: string): string {
    if (url.startsWith(`https://${linkHost}/`)) return url;
    const href = hrefOf(url);
    const link = this.#links.get(href) ?? `https://${linkHost}/${this.#links.size + 1}`;
    this.#links.set(href, link);
    return link;
  }
}

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

const hrefOf = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

function grantsAccess(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, searchParams } = new URL(text);
  const isSecret = (name: string) => accessParameter.test(name) || keyParameter.test(name);
  return username + password !== '' || [...searchParams.keys()].some(isSecret);
}
