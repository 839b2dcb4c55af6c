import { ConfigurationError } from '../../errors/configuration.ts';
import { isNonEmptyString } from '../../schemas/record.ts';

/**
 * Fills `{name}` in a path template. Values that could leave the template are refused: empty ones, dots, back
 * slashes, control characters. A slash is encoded.
 */
export function fillPath(template: string, values: Readonly<Record<string, unknown>> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = values[name];
    if (isNonEmptyString(id) && !isUnsafePath(id)) return encodeURIComponent(id);
    throw new ConfigurationError(`${name}: must be a string that fits into a path.`);
  });
}

/** Whether a URL parser, here or on a server, could read a path as another one. */
export function isUnsafePath(path: string): boolean {
  return /\p{Cc}|\p{Cs}|\\|(^|\/|%2f|%5c)(\.|%2e){1,2}(\/|%2f|%5c|$)/iu.test(path);
}
