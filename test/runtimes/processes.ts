import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Runtime } from './runtime.ts';

const execute = promisify(execFile);

/** Launches a program from the app's `node_modules`. `options` are its arguments before the file to run. */
export function launchProcess(
  path: string,
  options: (folder: string) => string[] = () => [],
): Runtime['launch'] {
  return async ({ app, apiKey, baseURL }) => {
    const program = join(app, 'node_modules', path);
    const folder = await mkdtemp(join(app, 'folder-'));
    const runProgram = async (...args: string[]) => {
      try {
        return (await execute(program, args, { cwd: app, timeout: 60_000 })).stdout;
      } catch (error) {
        const { message, stdout, stderr } = error as Error & { stdout: string; stderr: string };
        throw new Error(`${message}\nOutput:\n${stdout}\n${stderr}`, { cause: error });
      }
    };
    const run = async (file: string) =>
      JSON.parse(
        await runProgram(...options(folder), file, JSON.stringify({ apiKey, baseURL }), folder),
      );
    const version = await runProgram('--version');
    return {
      version: /\d+\.\d+\.\d+/.exec(version)?.[0] ?? version,
      report: { ...(await run('process.js')), required: await run('require.cjs') },
    };
  };
}
