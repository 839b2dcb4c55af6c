/** The origin of the gateway on a tape. */
export const recordedGateway = 'https://gateway.invalid';

/** The host of links to results on a tape. */
export const linkHost = 'recorded.invalid';

/** What replaces a secret on a tape. */
export const redacted = '[redacted]';

/** Query parameters that carry an API key. */
export const keyParameter = /^(api[-_]?)?key$/i;

/** Query parameters that give access to a file. */
const accessParameter =
  /sig|token|expir|credential|policy|secret|passw|auth|jwt|hmac|access[-_]?key|key[-_]?pair|^x-(amz|goog)-|^se$/i;

/** Fields of a response with the URL of a result, or with a secret one. Poll URLs lead to the gateway itself. */
const resultField = /urls?$|^(outputs?|results?|images?|videos?|audios?|files?)$/i;
const pollField = /^(poll|status)_?url$/i;

/** A URL in a text, without the punctuation that follows it. */
export const urlInText = /https?:\/\/[^\s"'<>\\`)]*[^\s"'<>\\`).,;:!?]/gi;

/** The same, including characters that may also end a URL, such as the parentheses of `a(1).png`. */
export const longUrlInText = /https?:\/\/[^\s"<>\\`]*[^\s"<>\\`).,;:!?']/gi;

/** Whether a field of a response is the URL of a result. */
export const isResult = (text: string, field: string): boolean =>
  /^https?:\/\//i.test(text) && resultField.test(field) && !pollField.test(field);

/** Whether a query parameter must not be stored. */
export const isSecretParameter = (name: string): boolean =>
  accessParameter.test(name) || keyParameter.test(name);

/** Whether a URL gives access to what others may not see. */
export function grantsAccess(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, searchParams } = new URL(text);
  return username + password !== '' || [...searchParams.keys()].some(isSecretParameter);
}

/** The same URL or path, without the values of its secret parameters. */
export function withoutSecretParameters(url: string): string {
  return url.replace(/([?&])([^?=&#]+)=([^&#]*)/g, (whole, mark: string, name: string) =>
    isSecretParameter(name) ? `${mark}${name}=${encodeURIComponent(redacted)}` : whole,
  );
}

/** One spelling of each URL. */
export const hrefOf = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

/** A URL of the gateway, as it is stored. */
export function ownUrl(text: string, gateway: string | undefined): string {
  const isOwn = gateway !== undefined && text.startsWith(`${gateway}/`);
  return isOwn ? recordedGateway + text.slice(gateway.length) : text;
}

/** A URL of the gateway on a tape, with the origin that is called. */
export function restoreGateway(text: string, origin: string): string {
  return text.startsWith(`${recordedGateway}/`)
    ? origin + text.slice(recordedGateway.length)
    : text;
}
