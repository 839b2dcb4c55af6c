import type { WaitOptions } from '../../../wire/types/tasks/task-handle.ts';
import type { PollHeaders } from '../../call/request-options.ts';
import { noHeaderChanges, parseHeaderChanges } from '../../config/validation.ts';

const noPollHeaders: PollHeaders = { headers: noHeaderChanges };

/**
 * The headers of polls: those of the caller's options, and those of the request that created the record. The caller's
 * replace others of the same name.
 */
export function pollHeadersOf(
  options: Pick<WaitOptions<never>, 'headers' | 'requestId'>,
  { headers, requestId }: PollHeaders = noPollHeaders,
): PollHeaders {
  return {
    headers: options.headers ? [...headers, ...parseHeaderChanges(options.headers)] : headers,
    requestId: options.requestId ?? requestId,
  };
}
