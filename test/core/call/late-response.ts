import { streamReply, turns } from '../support.ts';
import type { Reply, SentRequest } from '../support.ts';

/** A response that arrives after its call has ended, and a check whether its body is then cancelled. */
export function lateResponse() {
  let respond: (response: Response | Promise<Response>) => void = () => undefined;
  const reply: Reply = () => new Promise((resolve) => (respond = resolve));
  const isCancelled = async (sent: SentRequest | undefined): Promise<boolean> => {
    let cancelled = false;
    const body = streamReply(
      '{',
      () => undefined,
      {},
      () => (cancelled = true),
    );
    if (sent !== undefined) respond(body(sent));
    await turns();
    return cancelled;
  };
  return { reply, isCancelled };
}
