import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The result of a program. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** How to run a program. */
export interface ProgramOptions {
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** Presses Ctrl-C once the output contains this text. */
  interruptAt?: string;
}

const hook = new URL('./from-source.ts', import.meta.url).href;

/** Runs a program against the sources in its own process, and waits for it to exit. */
export async function runFromSource(
  program: URL,
  { env = {}, cwd, interruptAt }: ProgramOptions = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, ['--import', hook, fileURLToPath(program)], {
    cwd,
    env: {
      ...process.env,
      POLYGATE_API_KEY: undefined,
      POLYGATE_BASE_URL: undefined,
      POLYGATE_LOG: undefined,
      FORCE_COLOR: undefined,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (part: Buffer) => {
    const before = output;
    output += String(part);
    if (interruptAt === undefined || before.includes(interruptAt)) return;
    if (output.includes(interruptAt)) child.kill('SIGINT');
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
