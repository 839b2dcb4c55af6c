import { execFile } from 'node:child_process';

/** Runs a program and returns its standard output. If it fails, the error contains all of its output. */
export async function run(program: string, args: string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, maxBuffer: 64 * 1024 * 1024, timeout: 280_000 };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${program} ${args.join(' ')} failed\n${stdout}\n${stderr}`));
    });
  });
}
