import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

import { ConfigurationError } from '../../../errors/base.ts';
import { finalPath } from '../../../integrations/node/final-path.ts';
import { clientDefaults } from '../../../wire/types/client-defaults.ts';
import { checkNames } from '../../option-names.ts';
import type { OptionNames } from '../../option-names.ts';
import { Player } from './player.ts';
import { Recorder, folderOf, saveTape } from './recorder.ts';
import type { TapeSource } from './recorder.ts';
import { Redactor } from './redactor.ts';
import { nameOf } from './requests.ts';
import { formatTape, parseTape } from './tape-file.ts';
import type { RecordedRequest } from './tape-file.ts';

export type { RecordedRequest } from './tape-file.ts';

/** Options of {@link recordings}. */
export interface RecordingOptions {
  /**
   * `record` sends requests and records them. `replay` responds with recordings and sends nothing. `auto` records if the
   * tape does not exist, and replays otherwise; if the environment variable `CI` is set, it only replays.
   *
   * The end of `await using` does not know whether the run has failed. If a later run in the mode `auto` without `CI` goes
   * further than such a tape, it sends and records the rest. If it cannot, because a request needs a link that the tape does
   * not keep, it deletes the tape, so that the next run records. {@link Tape.save} at the end of the run writes a tape that is
   * neither continued nor deleted.
   *
   * @defaultValue 'auto'
   */
  mode?: 'auto' | 'record' | 'replay' | undefined;
  /** The `fetch` that sends requests while they are recorded. @defaultValue the global `fetch` */
  fetch?: ((input: string | URL | Request, init?: RequestInit) => Promise<Response>) | undefined;
  /** Replaces what must not be stored. Called with every string before it is stored or compared. */
  redact?: ((text: string) => string) | undefined;
  /**
   * Whether to record how long responses take, and to replay them as slowly. Otherwise, a replayed poll is due
   * immediately.
   *
   * @defaultValue false
   */
  timing?: boolean | undefined;
  /**
   * Whether replayed responses report the recorded charges, which a ledger or budget then counts.
   * @defaultValue false
   */
  charges?: boolean | undefined;
  /** Whether the end of `await using` accepts recordings that no request has used. @defaultValue false */
  allowUnused?: boolean | undefined;
}

/** Recorded requests with their responses, in a file. */
export interface Tape extends AsyncDisposable {
  /** Records or replays. Pass it to the client. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** What {@link Tape.fetch} does. A replay becomes `record` when it continues the tape of a run that has failed. */
  readonly mode: 'record' | 'replay';
  /** Recorded requests that were not made. Empty while recording. */
  readonly unused: readonly RecordedRequest[];
  /**
   * Writes the tape, and the files that were downloaded. Does nothing if no request was sent, as in a replay. The old tape
   * stays until the new one is complete.
   */
  save(): Promise<void>;
  /**
   * Saves the tape, unless the last request has failed: the run has probably failed, too, and a replay would end at the
   * same place. A run that ends like this on purpose calls {@link Tape.save}. In a replay in which every request was on the
   * tape, fails if recordings were not used.
   *
   * @throws Error that lists the unused recordings
   */
  [Symbol.asyncDispose](): Promise<void>;
}

const optionNames: OptionNames<RecordingOptions> = {
  mode: true,
  fetch: true,
  redact: true,
  timing: true,
  charges: true,
  allowUnused: true,
};

/**
 * Records real requests and responses once, and replays them in tests, without network access or cost. The file
 * contains no credentials.
 *
 * Requests match by method, path, query and body; of equal requests, the first receives the first response, and so on.
 * Further `GET` requests receive the last response again. Any other request that is not on the tape fails with a
 * `ConfigurationError`, which is never retried, and nothing is sent.
 *
 * @param path - The tape, such as `test/tapes/chat.json`. Downloads are stored next to it.
 * @throws `ConfigurationError` if an option is invalid, or if the tape is missing or damaged in a replay.
 *
 * @example
 * ```ts
 * await using tape = recordings('test/tapes/chat.json');
 * const gateway = new Polygate({ apiKey, baseURL, fetch: tape.fetch });
 * ```
 */
export function recordings(path: string, options: RecordingOptions = {}): Tape {
  checkOptions(options);
  const { fetch = globalThis.fetch, redact, allowUnused = false } = options;
  const { timing = false, charges = false } = options;
  const fileOf = (name: string) => join(folderOf(path), basename(name));
  const recorder = new Recorder(fetch, timing);
  let saved: Promise<unknown> = Promise.resolve();
  let savedSize = 0;
  const saveTo = (source: Pick<TapeSource, 'redactor' | 'before'>, provisional?: true) => {
    const write = async () => {
      const { size } = recorder;
      if (size > 0) await saveTape(path, { recorder, provisional, ...source });
      savedSize = size;
    };
    const saving = saved.then(write, write);
    saved = saving;
    return saving;
  };
  const dispose = async (save: (provisional?: true) => Promise<void>) => {
    const { failed, size } = recorder;
    if (!failed) return save(size === savedSize ? undefined : true);
    if (size === savedSize) return;
    // An error would hide the one that the run has failed with.
    warn(
      `${path} was not written, because the last request has failed: ${failed.request.method} ${failed.request.url.pathname}. ` +
        'If the run ends like this on purpose, call tape.save() at its end.',
    );
  };
  if (resolveMode(path, options.mode) === 'record') {
    const save = (provisional?: true) => saveTo({ redactor: new Redactor(redact) }, provisional);
    return {
      fetch: recorder.fetch,
      mode: 'record',
      unused: [],
      save: () => save(),
      [Symbol.asyncDispose]: () => dispose(save),
    };
  }
  const tape = readTape(path, fileOf);
  const redactor = new Redactor(redact);
  const deleteTape = () => rmSync(finalPath(path), { force: true });
  const start = (name: string) => {
    warn(`${path} ends before ${name}, so this request and those after it are sent and recorded.`);
    redactor.continueAfter(JSON.stringify(tape));
    return recorder.fetch;
  };
  const canContinue = options.mode !== 'replay' && !isCI() && tape.provisional;
  const atEnd = canContinue ? { start, deleteTape } : undefined;
  const player = new Player(tape, redactor, { timing, charges, fileOf, atEnd });
  const save = async (provisional?: true) => {
    if (recorder.size === 0) return;
    const { gateway } = player;
    const names = tape.recordings.flatMap(({ response }) => response?.file ?? []);
    const files = new Map(names.map((name) => [name, readFileSync(fileOf(name))]));
    const before = { recordings: tape.recordings, files, gateway };
    await saveTo({ redactor, before }, provisional);
  };
  return {
    // A client needs neither an API key nor a base URL for what is not sent.
    fetch: Object.assign(player.fetch, {
      [clientDefaults]: { apiKey: null, baseURL: player.baseURL },
    }),
    get mode() {
      return recorder.size > 0 ? 'record' : 'replay';
    },
    get unused() {
      return player.unused;
    },
    save: () => save(),
    async [Symbol.asyncDispose]() {
      if (recorder.size > savedSize && recorder.failed?.status === 404) {
        deleteTape();
        warn(
          `${path} was deleted, because the service does not know what the tape refers to anymore: ${recorder.failed.request.url.pathname}. The next run records again.`,
        );
        return;
      }
      await dispose(save);
      const { unused, foundAll } = player;
      if (allowUnused || !foundAll || unused.length === 0) return;
      throw new Error(
        `${path}: recordings that no request has used: ${unused.map(nameOf).join(', ')}. ` +
          'Delete the tape to record it again, or set allowUnused.',
      );
    },
  };
}

const warn = (problem: string) => console.warn(`polygate: ${problem}`);

function resolveMode(path: string, mode: RecordingOptions['mode'] = 'auto'): 'record' | 'replay' {
  if (mode === 'record' || mode === 'replay') return mode;
  if (mode !== 'auto') {
    throw new ConfigurationError(`mode: must be 'auto', 'record' or 'replay'.`);
  }
  return isCI() || isRecorded(path) ? 'replay' : 'record';
}

const isCI = () => !['', '0', 'false'].includes(process.env.CI ?? '');

/** Whether there is a tape. An empty one is that of a run that has failed before its first request. */
function isRecorded(path: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8') !== formatTape({ recordings: [] });
}

/** Checks the options at once: when a tape is saved, the requests were already paid for. */
function checkOptions(options: RecordingOptions): void {
  checkNames(options, optionNames);
  for (const name of ['fetch', 'redact'] as const) checkType(name, options[name], 'function');
  for (const name of ['timing', 'charges', 'allowUnused'] as const) {
    checkType(name, options[name], 'boolean');
  }
  const result: unknown = options.redact?.('');
  if (options.redact && typeof result !== 'string') {
    throw new ConfigurationError('redact: must be a function that returns a string.');
  }
}

function checkType(name: string, value: unknown, type: 'function' | 'boolean'): void {
  if (value === undefined || typeof value === type) return;
  throw new ConfigurationError(`${name}: must be a ${type}.`);
}

function readTape(path: string, fileOf: (name: string) => string) {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigurationError(
      `The tape ${path} cannot be read. To record it, run the test with mode 'record', or with mode 'auto' and without the environment variable CI.`,
      { cause: error },
    );
  }
  return parseTape(text, path, fileOf);
}
