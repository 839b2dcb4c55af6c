import { causeChain } from './network-error.ts';
import { Part } from './part.ts';

/** What recognizes refused signals. Loaded after the refusal: `fetch` refuses a signal only outside browsers. */
export const refusals = /* @__PURE__ */ new Part(() => import('./refused-signal.ts'));

/** What an error that `fetch` rejected with means, if it may have refused the signal, or else the error. */
export async function explainRefusal(
  error: unknown,
  ...sent: [signal: AbortSignal, fetch: typeof globalThis.fetch]
): Promise<unknown> {
  if (!causeChain(error).some(({ message }) => message.includes('AbortSignal'))) return error;
  const loaded = await refusals.load().catch(() => undefined);
  return loaded?.refusedSignal(error, ...sent) ?? error;
}
