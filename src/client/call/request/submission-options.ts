import type { Rule, Rules } from '../../config/validation.ts';
import type { RequestOptions } from './request-options.ts';

/** A copy of the options of a submission, because the caller may reuse the object for the next one. */
export function copyOptions(options: RequestOptions = {}): RequestOptions {
  const { headers, fallback } = options;
  return {
    ...options,
    headers: headers && { ...headers },
    fallback: isList(fallback) ? fallback.slice() : fallback,
  };
}

/** Anything but a list is rejected later. */
const isList = (value: unknown): value is readonly string[] => Array.isArray(value);

/** The rule of the options that a submission has already used. */
export const fixed: Rule = [() => false, 'passed to submission()'];

export const fixedRules: Rules = { extraBody: fixed, fallback: fixed, fallbackOn: fixed };
