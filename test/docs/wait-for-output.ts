import type { ChildProcess } from 'node:child_process';

/** Waits until a process has printed a text, and returns its output so far. The process can go on printing. */
export function waitForOutput(child: ChildProcess, expected: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (part: Buffer) => {
      output += String(part);
      if (expected.test(output)) resolve(output);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('exit', () => {
      reject(new Error(`The process exited without printing ${expected}\n${output}`));
    });
  });
}
