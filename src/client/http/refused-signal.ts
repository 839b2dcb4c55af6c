import { ConfigurationError } from '../../errors/base.ts';
import { createError, nothingSent } from '../../errors/message.ts';
import { runtimeFetch } from '../config/environment.ts';
import { causeChain } from './failure.ts';

/**
 * The error for a `fetch` that has refused the signal, as Node's own does in jsdom, whose `AbortSignal` is another class.
 * The constructor of `Request` must refuse this signal for the same reason: a `fetch` of the caller may have failed with
 * another signal. It may also have sent the request before it passed the signal on, so only of the runtime's own is it
 * known that nothing was sent.
 */
export function refusedSignal(
  error: unknown,
  signal: AbortSignal,
  fetch: typeof globalThis.fetch,
): ConfigurationError | undefined {
  const messages = causeChain(error).map(({ message }) => message);
  try {
    Reflect.construct(Request, ['http://localhost', { signal }]);
  } catch (refusal) {
    if (!messages.includes(causeChain(refusal)[0]?.message ?? '')) return undefined;
    const problem = 'fetch does not accept the AbortSignal of this environment, such as jsdom.';
    const advice =
      'Run in an environment without a DOM, such as that of Node, or pass a fetch that accepts it.';
    return fetch === runtimeFetch
      ? createError(
          ConfigurationError,
          { summary: problem, charge: nothingSent, advice },
          { outcome: 'not-sent' },
        )
      : new ConfigurationError(`${problem} ${advice}`);
  }
  return undefined;
}
