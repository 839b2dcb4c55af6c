import { omitUndefined } from '../../wire/types/schema.ts';
import { checkValue, headerName, headerValue } from './validation.ts';

/** Headers to set, or to remove with `null`, by lowercase name. */
export type HeaderChanges = readonly (readonly [name: string, value: string | null])[];

export const noHeaderChanges: HeaderChanges = [];

/** Validates extra headers. The error message does not quote values, which may be secret. */
export function parseHeaderChanges(
  headers?: Readonly<Record<string, string | null | undefined>>,
): HeaderChanges {
  if (!headers) return noHeaderChanges;
  return Object.entries(omitUndefined(headers)).map(([name, value]) => {
    checkValue('headers (name)', name, headerName);
    checkValue(`headers: ${name}`, value ?? undefined, headerValue);
    return [name.toLowerCase(), value];
  });
}
