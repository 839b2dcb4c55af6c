import { APIError } from 'polygate';

import { messageOf } from '../failure.ts';

/** Whether a path exists, as far as the response to a request for an unknown task shows. */
export type PathState = 'exists' | 'missing' | 'unclear';

/** Reads from the error of a poll whether its path exists. `control` is the error of a path that does not exist. */
export function probePath(error: unknown, control: unknown, id: string): PathState {
  if (!APIError.is(error)) return 'unclear';
  const { status, code = '' } = error;
  if (status === 404 && /^(task|image|video|job|generation)/.test(code)) return 'exists';
  if (!APIError.is(control)) return 'unclear';
  if (status === 404)
    return signatureOf(error, id) === signatureOf(control, id) ? 'missing' : 'exists';
  if (status === 405 || status === control.status) return 'missing';
  return status === 400 || status === 422 ? 'exists' : 'unclear';
}

/** What an error says, apart from the path and the id that it may repeat. */
export function signatureOf(error: unknown, id: string): string {
  if (!APIError.is(error)) return '';
  return messageOf(error)
    .replace(/\[[^[\]]*\]$/, '')
    .replaceAll(id, '')
    .split(/\s+/)
    .filter((word) => !word.includes('/'))
    .join(' ')
    .trim();
}
