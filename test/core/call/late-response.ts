import { streamed, turns } from '../support.ts';
import type { Reply, Sent } from '../support.ts';

/** An answer that comes when nobody waits for it any more, and whether its body is then cancelled. */
export function lateAnswer() {
  let answer: (response: Response | Promise<Response>) => void = () => undefined;
  const reply: Reply = () => new Promise((resolve) => (answer = resolve));
  const isCancelled = async (sent: Sent | undefined): Promise<boolean> => {
    let cancelled = false;
    const body = streamed(
      '{',
      () => undefined,
      {},
      () => (cancelled = true),
    );
    if (sent !== undefined) answer(body(sent));
    await turns();
    return cancelled;
  };
  return { reply, isCancelled };
}
