import { isRecord, textOf } from '../../../wire/types/type-guards.ts';
import type { Redactor } from './redactor.ts';
import type { ErrorChain } from './tape-file.ts';

/** How many causes of an error are stored. */
const maxCauses = 5;

/** What clients can learn from an error: the messages and codes of it and its causes. */
export function toErrorChain(error: unknown, redactor: Redactor): ErrorChain {
  const chain: ErrorChain = [];
  for (let link = error; isRecord(link) && chain.length < maxCauses; link = link.cause) {
    const message = redactor.text(textOf(link.message) ?? '');
    const code = textOf(link.code);
    chain.push(code === undefined ? { message } : { message, code });
  }
  return chain.length > 0 ? chain : [{ message: redactor.text(String(error)) }];
}

/** An error like the recorded one, as `fetch` throws it. */
export function toNetworkError(chain: ErrorChain): Error {
  const [first, ...causes] = chain;
  const cause = causes.reduceRight<Error | undefined>(
    (inner, { message, code }) =>
      Object.assign(new Error(message, inner && { cause: inner }), code && { code }),
    undefined,
  );
  const error = new TypeError(first?.message ?? 'fetch failed', cause && { cause });
  return Object.assign(error, first?.code && { code: first.code });
}
