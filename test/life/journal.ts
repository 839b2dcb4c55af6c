import { expect } from 'vitest';

import { ConfigurationError } from '../../src/index.ts';
import type { BatchResult, ChatResult, Journal, Polygate } from '../../src/index.ts';
import { clientOf, openService, paramsOf, storageOf } from './driver.ts';
import type { Driver, Ending, Run } from './driver.ts';

/** How a run takes its row to a result, with a journal of its process. */
type Take = (run: Run, client: Polygate, journal: Journal) => Promise<Ending>;

/** Processes with one journal, whose row is the same in all of them. */
const openJournal = (take: Take) => () => {
  const mock = openService();
  const lines: string[] = [];
  let owner: object | undefined;
  return {
    mock,
    async start(run: Run, held: Promise<void>): Promise<Ending> {
      const process = {};
      let isDead = false;
      let end = (_: Ending) => undefined as void;
      const death = new Promise<Ending>((resolve) => (end = resolve));
      const die = (): Promise<never> => {
        isDead = true;
        if (owner === process) owner = undefined;
        end('dead');
        return new Promise(() => undefined);
      };
      const store = storageOf(run);
      const journal: Journal = {
        async *read() {
          yield* lines.slice();
        },
        async append(line) {
          if (isDead) return die();
          store();
          const isTorn = run.death === 'torn' && line.includes('"type":"submit"');
          lines.push(isTorn ? line.slice(0, line.length / 2) : line);
          if (isTorn) return die();
          const isAccepted = /"type":"(accepted|completed)"/.test(line);
          return run.death === 'accepted' && isAccepted ? die() : undefined;
        },
        async lock() {
          if (owner !== undefined) throw new ConfigurationError('journal: is in use.');
          owner = process;
          return async () => void (owner === process && (owner = undefined));
        },
      };
      const taken = take(run, clientOf(mock, run, held, die), journal);
      return mock.clock.settle(Promise.race([taken, death]));
    },
    stored: () => lines.join('\n'),
    rewrite: (change: (text: string) => string) =>
      void lines.splice(0, Infinity, ...lines.map(change)),
  };
};

/** Nothing was sent for a row whose params have changed, or which is a chat that may have been charged. */
const isRefused = (error: unknown): boolean =>
  ConfigurationError.is(error) || Object(error).reason === 'resend';

/** Takes the only result of a batch. */
async function endingOf(rows: AsyncIterable<BatchResult | ChatResult>): Promise<Ending> {
  let ending: Ending = 'failed';
  try {
    // A result counts as taken once the next one is requested.
    for await (const { status, generation, completion, error } of rows) {
      if (status === 'succeeded') ending = { taskId: generation?.id ?? completion?.id ?? '' };
      else ending = isRefused(error) ? 'refused' : 'failed';
    }
    return ending;
  } catch (error) {
    return isRefused(error) ? 'refused' : 'failed';
  }
}

const id = () => 'row';

/** Runs of a batch with one task. */
export const batch: Driver = {
  name: 'a batch',
  needsStorage: true,
  open: openJournal(({ params }, gateway, journal) =>
    endingOf(
      gateway.batch([params], (index) => gateway.images.submission(paramsOf(index)), {
        journal,
        id,
      }),
    ),
  ),
};

const chatOf = (index: number) => ({
  model: 'aurora-chat',
  messages: [{ role: 'user' as const, content: paramsOf(index).prompt }],
});

/** Runs of a batch with one chat, which may be charged each time it is sent. */
export const chats: Driver = {
  name: 'a batch of chats',
  needsStorage: true,
  open: openJournal(({ params }, gateway, journal) =>
    endingOf(
      gateway.batch([params], (index) => gateway.chat.completions.submission(chatOf(index)), {
        journal,
        id,
      }),
    ),
  ),
  check({ mock: { invoice, requests } }, run, ending) {
    expect(invoice.length).toBeLessThan(2);
    if (run === undefined || typeof ending !== 'object') return;
    const [charge] = invoice;
    const paid = requests.find(({ requestId }) => requestId === charge?.requestId);
    expect(paid?.body).toMatchObject({ messages: chatOf(run.params).messages });
  },
};
