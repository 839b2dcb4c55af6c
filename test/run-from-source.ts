import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** How a program went. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** What the program finds. */
export interface Surroundings {
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** Presses Ctrl-C once the output contains this text. */
  interruptAt?: string;
}

const hook = new URL('./from-source.ts', import.meta.url).href;

/** Runs a program as users do, in a process of its own that has to end by itself, but on the sources. */
export async function runFromSource(
  program: URL,
  { env = {}, cwd, interruptAt }: Surroundings = {},
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
  let seen = '';
  child.stdout.on('data', (part: Buffer) => {
    const before = seen;
    seen += String(part);
    if (interruptAt === undefined || before.includes(interruptAt)) return;
    if (seen.includes(interruptAt)) child.kill('SIGINT');
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
