import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { eventually } from '../../support/eventually.ts';
import { builtCommand } from './build.ts';

/** The command line that runs one of the commands as it is in the sources. */
export const commandLine = (name: 'polygate' | 'polygate-mock', args: readonly string[]) => [
  process.execPath,
  builtCommand(name),
  ...args,
];

/** An environment without variables that change what the commands print. */
const environment = {
  ...process.env,
  CI: undefined,
  FORCE_COLOR: undefined,
  NO_COLOR: undefined,
  POLYGATE_API_KEY: undefined,
  POLYGATE_BASE_URL: undefined,
  POLYGATE_LOG: undefined,
};

/** A running command. */
export class Program {
  readonly child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  stdout = '';
  stderr = '';

  constructor(
    [file = '', ...args]: readonly string[],
    env: Record<string, string> = {},
    cwd?: string,
  ) {
    this.child = spawn(file, args, { env: { ...environment, ...env }, cwd });
    // A program that has ended does not read what it is sent.
    this.child.stdin?.on('error', () => undefined);
    this.child.stdout?.on('data', (bytes) => (this.stdout += String(bytes)));
    this.child.stderr?.on('data', (bytes) => (this.stderr += String(bytes)));
    this.#ended = once(this.child, 'close');
  }

  /** Waits until stdout contains text, and returns the match. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    let match: RegExpExecArray | null = null;
    await eventually(() => {
      match = pattern.exec(this.stdout);
      if (match === null) throw new Error(`${this.stdout}\n${this.stderr}`);
    });
    return match!;
  }

  /** Waits for the end, after a signal if one is given. */
  async end(signal?: NodeJS.Signals) {
    if (signal !== undefined) this.child.kill(signal);
    const [code] = await this.#ended;
    return { code, stdout: this.stdout, stderr: this.stderr };
  }
}

/** Runs a command until it exits. */
export const run = (name: 'polygate' | 'polygate-mock', args: string[], env = {}) =>
  new Program(commandLine(name, args), env).end();

/** Runs a command in a folder, with text on stdin. */
export const runIn = (
  cwd: string,
  args: readonly string[],
  env = {},
  stdin: string | Uint8Array = '',
) => {
  const program = new Program(commandLine('polygate', args), env, cwd);
  program.child.stdin?.end(stdin);
  return program.end();
};

/** A running reference gateway. */
export interface RunningMock {
  program: Program;
  baseURL: string;
  /** Sends a request with the default key. Resolves to undefined if the connection fails. */
  send(
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Response | undefined>;
  /** Returns the JSON at a path. */
  read(path: string): Promise<any>;
}

/** Starts the reference gateway on a free port. */
export async function startMock(...args: string[]): Promise<RunningMock> {
  const program = new Program(commandLine('polygate', ['mock', '--port', '0', ...args]));
  const [baseURL] = await program.printed(/http:\/\/127\.0\.0\.1:\d+(?=\/\n)/);
  const send: RunningMock['send'] = (path, body, headers) =>
    fetch(baseURL + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: 'Bearer sk-mock-demo',
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => undefined);
  return { program, baseURL, send, read: async (path) => (await send(path))?.json() };
}
