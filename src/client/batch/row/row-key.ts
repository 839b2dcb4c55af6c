import { fingerprint } from '../../tasks/submission.ts';

/**
 * The idempotency key of a row: the same in every process that works on it. Other params are another request, so where
 * a row may be submitted with others, `identity` ends with their fingerprint.
 */
export async function rowKey(...identity: string[]): Promise<string> {
  return `pg-${await fingerprint(...identity)}`;
}
