import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { styleText } from 'node:util';

import { PolygateError } from 'polygate';

import { codeOf, finalPath } from '../../../integrations/node/final-path.ts';
import { messageForPeople, version } from '../../../internal.ts';
import { createMockGateway } from '../../../mock/index.ts';
import type { ExchangeSummary, MockGateway } from '../../../mock/index.ts';
import { listen } from '../../../mock/node/index.ts';
import type { MockServer } from '../../../mock/node/index.ts';
import { isRecord } from '../../../wire/types/type-guards.ts';
import { formatUsd } from '../../money.ts';
import { messageOf, parseJsonOr } from '../arguments.ts';
import { portProblem, printError } from '../terminal.ts';
import { help, parseMockArguments } from './options.ts';
import type { MockArguments } from './options.ts';

/**
 * Runs the reference gateway under the name of a command. Returns the exit code; undefined if the gateway is running.
 * Does not use `runCommand`, which expects an exit code: this one continues to run, and survives the reader of its output.
 */
export async function runMock(command: string, args: string[]): Promise<number | undefined> {
  let options: MockArguments;
  try {
    options = parseMockArguments(args);
  } catch (error) {
    return printError(command, error, 2);
  }
  if (options.help || options.version) {
    process.stdout.write(options.help ? help(command) : `${version}\n`);
    return 0;
  }
  // What reads its output may end first, as in "polygate mock | head".
  process.stdout.on('error', () => undefined);
  let mock: MockGateway;
  let server: MockServer | undefined;
  const stateFile = options.stateFile === undefined ? undefined : new StateFile(options.stateFile);
  const save = (): void => stateFile?.write(mock.snapshot());
  // Without the file, the next restart would lose charges, so no response to them is sent.
  const saveOrExit = (): void => {
    try {
      save();
    } catch (error) {
      process.exit(printError(command, error, 1));
    }
  };
  try {
    mock = createGateway(options, stateFile?.read(), saveOrExit);
    const { port, host, cors } = options;
    server = await listen(mock, { port, host, cors, records: true });
    // Fails now, not after the first charge, if the file is not writable.
    save();
  } catch (error) {
    await server?.close();
    return printError(command, withAdvice(error, options), 1);
  }
  const running = server;
  console.log(greeting(mock, running.baseURL));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void running.close().then(() => {
        saveOrExit();
        process.exit(0);
      });
    });
  }
  return undefined;
}

function createGateway(
  { keys, walletUsd, taskDurationMs, faults, ...options }: MockArguments,
  snapshot: object | undefined,
  onChange: () => void,
): MockGateway {
  const names = new Map(faults.map(({ fault, name }) => [fault, name]));
  const mock = createMockGateway({
    keys: keys.length > 0 ? keys.map((key) => ({ key })) : undefined,
    wallet: { usd: walletUsd },
    tasks: { durationMs: taskDurationMs },
    latencyMs: options.latencyMs,
    chunkDelayMs: options.chunkDelayMs,
    concurrencyLimit: options.concurrencyLimit,
    seed: options.seed,
    imageFormat: options.imageFormat,
    assumptions: options.assumptions,
    history: 1000,
    snapshot,
    onChange,
    onResponse: (exchange) => {
      const name = exchange.fault && names.get(exchange.fault);
      console.log(styleText(colorOf(exchange), logLine(exchange, new Date(), name)));
    },
  });
  for (const { fault } of faults) mock.fail(fault);
  return mock;
}

function colorOf({ status, lost }: ExchangeSummary): 'red' | 'yellow' | 'reset' {
  if (lost !== undefined || status === undefined || status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'reset';
}

function greeting(mock: MockGateway, baseURL: string): string {
  return `polygate reference gateway ${version} is listening on ${baseURL} (press Ctrl-C to stop)

To use it with polygate:

  export POLYGATE_BASE_URL=${baseURL}
  export POLYGATE_API_KEY=${mock.apiKey}

To use it with another OpenAI-compatible client:

  export OPENAI_BASE_URL=${baseURL}/v1
  export OPENAI_API_KEY=${mock.apiKey}

To see the charges as JSON, open ${baseURL}/__mock/invoice
To see wallets and tasks, open ${baseURL}/
`;
}

/** Adds advice to errors that the user can fix. */
function withAdvice(error: unknown, { port, host, stateFile }: MockArguments): unknown {
  const problem = portProblem(error, port);
  if (problem !== undefined) return problem;
  if (/^(EADDRNOTAVAIL|ENOTFOUND)$/.test(String(codeOf(error)))) {
    return new Error(`${host} is not an address of this machine`);
  }
  if (!PolygateError.is(error) || error.parts?.subject !== 'snapshot') return error;
  return new Error(
    `the state file ${stateFile} ${messageForPeople(error, { subject: undefined })}`,
  );
}

/** Maximum length of a path or idempotency key in a line. */
const maxLength = 60;

/**
 * Formats a log line. It contains no API keys, prompts, query strings or verification tokens. `faultName` is the name of
 * the injected fault that affected the request.
 */
export function logLine(exchange: ExchangeSummary, time: Date, faultName?: string): string {
  const { method, status, ms, idempotencyKey, replay } = exchange;
  // Verification URLs are secret.
  const path = exchange.path.replace(/^\/verify\/.*/, '/verify/…');
  const notes = [
    exchange.lost === undefined ? chargeNote(exchange) : lostNote(exchange),
    exchange.code,
    exchange.stream ? 'stream' : undefined,
    idempotencyKey === undefined ? undefined : `key ${shorten(idempotencyKey)}`,
    replay ? 'replay' : undefined,
    faultName === undefined ? undefined : `fault ${faultName}`,
  ];
  const columns = [
    time.toTimeString().slice(0, 8),
    status ?? '---',
    `${Math.round(ms)} ms`.padStart(7),
    `${method.padEnd(4)} ${shorten(path)}`,
    ...notes.filter((note) => note !== undefined),
  ];
  return columns.join('  ');
}

function chargeNote({ chargeUsd, replay }: ExchangeSummary): string | undefined {
  return chargeUsd === undefined ? undefined : formatUsd(replay ? 0 : chargeUsd);
}

/** Describes why the client has no response, and what it was charged. */
function lostNote({ lost, chargeUsd, replay, ...exchange }: ExchangeSummary): string {
  const charged = chargeUsd !== undefined && !replay ? `charged ${formatUsd(chargeUsd)}, ` : '';
  switch (lost) {
    case 'refused':
      return 'connection refused';
    case 'stalled':
      return `${charged}response withheld`;
    case 'disconnected':
      return `${charged}response lost: the client disconnected`;
    default:
      // A reset before the request was handled has no response to lose.
      return exchange.fault?.reset === 'before' ? 'connection reset' : `${charged}response lost`;
  }
}

function shorten(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** The file that keeps the state of a gateway. Errors have one-line messages. */
export class StateFile {
  readonly #path: string;
  /** The version that this process has read or written; undefined if there was no file. */
  #version: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the state; undefined if there is no file. Throws an error if the file is no state file. */
  read(): object | undefined {
    let text: string;
    try {
      this.#version = versionOf(this.#path);
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw fileError('read', this.#path, error);
    }
    const state = parseJsonOr(text);
    if (isRecord(state)) return state;
    throw new Error(
      `${this.#path} is not a state file of this command: it is not a JSON object. Move it away, or choose another --state file`,
    );
  }

  /**
   * Replaces the file, so that it always contains either the old or the new state. Synchronous, so that it is complete
   * before the response to the request that changed the state is sent: whatever a client knows about survives a kill.
   *
   * Throws an error if another process has changed the file, whose charges would be lost.
   */
  write(state: object): void {
    const target = finalPath(this.#path);
    const temporary = `${target}.${process.pid}.tmp`;
    const current = versionOf(this.#path);
    if (current !== undefined && current !== this.#version) {
      throw new Error(
        `another process has changed the state file ${this.#path}. Give each gateway a different file`,
      );
    }
    try {
      // It contains prompts.
      writeFileSync(temporary, `${JSON.stringify(state)}\n`, { mode: 0o600 });
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw fileError('write', this.#path, error);
    }
    this.#version = versionOf(this.#path);
  }
}

/** Identifies the content of a file, as each write creates another one; undefined if there is no file. */
function versionOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.ino} ${stats.mtimeNs}`;
}

/** Describes a system error. `EISDIR` and `ENOENT` are the usual ones of a path that was mistyped. */
function fileError(what: string, path: string, error: unknown): Error {
  const code = codeOf(error);
  if (code === 'EISDIR') {
    return new Error(`the state file ${path} is a directory; name a file in it`, { cause: error });
  }
  const reason = code === 'ENOENT' ? 'its directory does not exist' : messageOf(error);
  return new Error(`cannot ${what} the state file ${path}: ${reason}`, { cause: error });
}
