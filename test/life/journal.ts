import { ConfigurationError } from '../../src/index.ts';
import type { BatchOptions, BatchResult, ChatResult, Journal, Polygate } from '../../src/index.ts';
import { damagedText } from './damage.ts';
import type { Damage } from './damage.ts';
import {
  chatOf,
  checkChat,
  clientOf,
  failedWith,
  openService,
  paramsOf,
  storageOf,
} from './driver.ts';
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
    damage: (damage: Damage) => damageLine(lines, damage),
  };
};

const isRun = (line: string) => line.startsWith('{"v":1,"type":"run"');
const followsSubmit = (line: string) => /^{"v":1,"type":"(accepted|completed|ref|fin)/.test(line);

/**
 * Damages any line, unless nothing shows it: a `run` line alone or before that of a second process, a line that is gone, and a
 * `submit` line at the end that looks as if its process had died while it wrote it.
 */
function damageLine(lines: string[], damage: Damage): boolean {
  const { kind, at } = damage;
  const index = at % lines.length;
  const line = lines[index];
  if (line === undefined) return false;
  const isFirst = index === 0;
  if (isFirst && (lines.length === 1 || lines.slice(1).some(isRun))) return false;
  const text = damagedText(line, damage);
  const lost = kind === 'tail-lost' ? lines.slice(index) : [];
  const isLast = index + Math.max(1, lost.length) === lines.length;
  const isCut = kind === 'cut' || kind === 'tail-lost';
  if (!text || (isCut && isLast && ![line, ...lost].every(followsSubmit))) return false;
  if (kind === 'duplicated') lines.splice(index, 0, line);
  else lines.splice(index, Math.max(1, lost.length), text);
  return true;
}

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
      else ending = isRefused(error) ? 'refused' : failedWith(error?.message);
    }
    return ending;
  } catch (error) {
    // The charge of the result could not be recorded.
    if (typeof ending === 'object') return ending;
    // A run also ends because it could not record what it has sent.
    const isSent = Object(error).outcome === 'unknown';
    return isRefused(error) && !isSent ? 'refused' : failedWith(String(error));
  }
}

const id = () => 'row';

/** Runs of a batch with one task. */
const batchWith = (options: Partial<BatchOptions<number>>, fallback?: [string]): Driver['open'] =>
  openJournal(({ params }, gateway, journal) =>
    endingOf(
      gateway.batch([params], (index) => gateway.images.submission(paramsOf(index), { fallback }), {
        ...options,
        journal,
        id,
      }),
    ),
  );

export const batch: Driver = {
  name: 'a batch',
  needsStorage: true,
  hasRaces: true,
  open: batchWith({}),
};

/** Batches whose lines have all fields. */
export const fullBatches: readonly Driver[] = [
  { ...batch, open: batchWith({ storeParams: true }, ['prism-sketch']) },
  { ...batch, open: batchWith({ storeParams: true, maxUsd: 100 }) },
];

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
  check: checkChat,
};
