import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const command = fileURLToPath(new URL('../../src/mock/cli.ts', import.meta.url));

/** Runs the command until it ends or until `enough` has been printed, then interrupts it. */
async function run(
  args: string[],
  onOutput: (text: string) => Promise<boolean> = async () => false,
) {
  const child = spawn(process.execPath, [command, ...args]);
  let output = '';
  let errors = '';
  child.stderr.on('data', (bytes) => (errors += String(bytes)));
  child.stdout.on('data', (bytes) => {
    output += String(bytes);
    void onOutput(output).then((enough) => enough && child.kill('SIGINT'));
  });
  const [code] = await once(child, 'close');
  return { code, output, errors };
}

test('it prints where it is, answers, logs a line for each request, and ends at Ctrl-C', async () => {
  let asked = false;
  const { code, output } = await run(['--port', '0', '--key', 'sk-test'], async (text) => {
    const baseURL = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
    if (!text.includes('Ctrl-C') || baseURL === undefined) return false;
    if (!asked) {
      asked = true;
      await fetch(`${baseURL}/v1/images/tasks`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: '{"model":"prism-image","prompt":"a fox"}',
      });
      await fetch(`${baseURL}/verify/secret?outcome=failed`);
    }
    return text.includes('/verify/');
  });
  expect(code).toBe(0);
  expect(output).toContain('sk-test');
  expect(output).toMatch(/POST +\/v1\/images\/tasks +202 +\d+ ms +\$0\.02\n/);
  expect(output).toMatch(/GET +\/verify\/… +404 /);
  expect(output).not.toContain('secret');
});

test.each([
  [['--port', 'abc'], '--port must be a whole number'],
  [['--port', '70000'], '--port must be a whole number'],
  [['--latency', '-1'], '--latency'],
  [['--key', 'abc'], '--key must begin with sk-'],
  [['--what'], "Unknown option '--what'"],
  [['extra'], 'Unexpected argument'],
])('bad arguments %j get one clear line', async (args, message) => {
  const { code, output, errors } = await run(args);
  expect([code, output]).toEqual([2, '']);
  expect(errors).toContain(message);
  expect(errors.trimEnd().split('\n')).toHaveLength(1);
});

test('help says what there is', async () => {
  const { code, output } = await run(['--help']);
  expect(code).toBe(0);
  expect(output).toContain('--latency');
});
