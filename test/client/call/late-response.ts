import { streamReply, turns } from '../support.ts';
import type { Reply, SentRequest } from '../support.ts';

/** A response that arrives after its call has ended, and a check whether its body is then canceled. */
export function lateResponse() {
  let respond: (response: Response | Promise<Response>) => void = () => undefined;
  const reply: Reply = () => new Promise((resolve) => (respond = resolve));
  const isCanceled = async (sent: SentRequest | undefined): Promise<boolean> => {
    let canceled = false;
    const body = streamReply(
      '{',
      () => undefined,
      {},
      () => (canceled = true),
    );
    if (sent !== undefined) respond(body(sent));
    await turns();
    return canceled;
  };
  return { reply, isCanceled };
}
