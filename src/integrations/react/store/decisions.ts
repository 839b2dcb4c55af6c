import { unchecked } from '../../../wire/types/schema.ts';
import type { Entry } from './entry.ts';
import type { RefusalCode } from './errors.ts';

/**
 * What `generate` does, given what is stored. An abandoned task was stopped, or its wait has failed: another one may
 * take its place.
 */
export function decideGenerate(
  entry: Entry | undefined,
  fingerprint: string,
  isAbandoned: boolean,
): 'new' | 'resend' | RefusalCode {
  if (!entry || entry.generation) return 'new';
  if (entry.receipt) return isAbandoned ? 'new' : 'generation_pending';
  return entry.fingerprint === fingerprint ? 'resend' : 'outcome_unknown';
}

/** What `resume` does, given what is stored. */
export function decideResume(
  entry: Entry | undefined,
  hasParams: boolean,
): 'wait' | 'resend' | RefusalCode {
  if (!entry || entry.generation) return 'nothing_to_resume';
  if (entry.receipt) return 'wait';
  return hasParams ? 'resend' : 'params_not_stored';
}

/**
 * Whether a failed request can be forgotten, because it was certainly not charged. Never if the key was sent before:
 * then a rejection, such as for a balance that has run out, says nothing about the earlier request.
 * The rule is that of the client, `isUncharged`, whose import would add the error classes to every page; a test compares them.
 */
export function wasNotCharged(error: unknown, isResent: boolean): boolean {
  if (isResent) return false;
  const { outcome, name } = unchecked<{ outcome?: unknown; name?: unknown }>(Object(error));
  // Invalid params are found before anything is sent.
  if (outcome === undefined) return name === 'ConfigurationError';
  return outcome === 'rejected' || outcome === 'not-sent';
}

/**
 * Whether a wait that has failed can start again later. Lost polls do not end a wait, so no connection means that the
 * part of the client that waits could not be loaded, for example because the browser is offline.
 */
export function canWaitLater(error: unknown): boolean {
  const { name } = unchecked<{ name?: unknown }>(Object(error));
  return name === 'ConnectionError' || name === 'RequestTimeoutError';
}
