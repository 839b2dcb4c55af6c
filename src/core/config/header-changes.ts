import { checkValue, headerName, headerValue } from './validation.ts';

/** Headers to set, or with `null` to leave out, by lower-case name. */
export type HeaderChanges = readonly (readonly [name: string, value: string | null])[];

/** Checks extra headers; a bad one is refused without quoting its value. */
export function parseHeaderChanges(
  headers: Readonly<Record<string, string | null | undefined>> = {},
): HeaderChanges {
  return Object.entries(headers).flatMap(([name, value]) => {
    checkValue('headers: a name', name, headerName);
    checkValue(`headers: ${name}`, value ?? undefined, headerValue);
    return value === undefined ? [] : [[name.toLowerCase(), value] as const];
  });
}

/** Applies changes to headers; `null` removes, but never the credentials. */
export function applyHeaderChanges(headers: Record<string, string>, changes: HeaderChanges): void {
  for (const [name, value] of changes) {
    if (value !== null) headers[name] = value;
    else if (name !== 'authorization') delete headers[name];
  }
}
