import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Runtime } from './runtimes.ts';

const execute = promisify(execFile);

/** Starts a program of the app's `node_modules` with what it needs to run a file that may use one folder only. */
export function launchProcess(
  path: string,
  options: (folder: string) => string[] = () => [],
): Runtime['launch'] {
  return async ({ app, apiKey, baseURL }) => {
    const program = join(app, 'node_modules', path);
    const folder = await mkdtemp(join(app, 'folder-'));
    const print = async (...args: string[]) => {
      try {
        return (await execute(program, args, { cwd: app, timeout: 60_000 })).stdout;
      } catch (error) {
        const { message, stdout, stderr } = error as Error & { stdout: string; stderr: string };
        throw new Error(`${message}\nIt printed:\n${stdout}\n${stderr}`, { cause: error });
      }
    };
    const run = async (file: string) =>
      JSON.parse(
        await print(...options(folder), file, JSON.stringify({ apiKey, baseURL }), folder),
      );
    const version = await print('--version');
    return {
      version: /\d+\.\d+\.\d+/.exec(version)?.[0] ?? version,
      report: { ...(await run('process.js')), required: await run('require.cjs') },
    };
  };
}
