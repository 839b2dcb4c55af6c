import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { Program, run } from '../../tools/cli/program.ts';
import { afterTests } from './service.ts';

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'polygate-completion-'));
  afterTests(() => rmSync(folder, { recursive: true, force: true }));
});

/** Writes the completion script of a shell to a file. */
const scriptOf = async (shell: string) => {
  const { stdout } = await run('polygate', ['completion', shell]);
  const path = join(folder, `_polygate.${shell}`);
  writeFileSync(path, stdout);
  return path;
};

/** Runs a script in a shell, with a home folder of its own. */
const inShell = (shell: readonly string[], script: string) =>
  new Program([...shell, '-c', script], { HOME: folder, XDG_CONFIG_HOME: folder }).end();

describe.skipIf(!has('zsh'))('in zsh', () => {
  // Without a terminal, zsh completes nothing, so what the script offers is printed.
  const printed = `compdef() { echo "compdef $*" }
compadd() { shift; print -l -- "$@" }
_describe() { print -l -- "\${(@P)2}" }
_files() { echo files }
`;

  test('the script registers itself, and completes commands, options and files', async () => {
    const path = await scriptOf('zsh');
    const complete = async (words: string, prefix: string) => {
      const state = `words=(${words}); CURRENT=\${#words}; PREFIX='${prefix}'; _polygate`;
      const { code, stdout, stderr } = await inShell(
        ['zsh', '-f'],
        `${printed} source ${path}\n${state}`,
      );
      expect([code, stderr]).toEqual([0, '']);
      const [first, ...offered] = stdout.trimEnd().split('\n');
      expect(first).toBe('compdef _polygate polygate');
      return offered;
    };
    expect(await complete('polygate ba', 'ba')).toContainEqual(
      expect.stringMatching(/^balance:print the balance/),
    );
    expect(await complete('polygate --json batch --max', '--max')).toContain('--max-usd');
    expect(await complete('polygate batch p', 'p')).toEqual(['files']);
    // In a folder of fpath, the file is the function.
    const autoloaded = `${printed} words=(polygate ''); CURRENT=2; PREFIX=''; fpath=(${folder} $fpath)
cp ${path} ${folder}/_polygate; autoload -Uz _polygate; _polygate`;
    const { stdout } = await inShell(['zsh', '-f'], autoloaded);
    expect(stdout).toMatch(/^chat:[^]*\nbatch:/);
  });
});

describe.skipIf(!has('fish'))('in fish', () => {
  test('the script completes commands and options', async () => {
    const path = await scriptOf('fish');
    const complete = async (line: string) => {
      const script = `source ${path}; complete -C '${line}'`;
      const { code, stdout, stderr } = await inShell(['fish', '--no-config'], script);
      expect([code, stderr]).toEqual([0, '']);
      return stdout.trimEnd().split('\n');
    };
    expect(await complete('polygate bal')).toEqual([
      expect.stringMatching(/^balance\tprint the balance/),
    ]);
    expect(await complete('polygate batch --max')).toEqual(['--max-usd']);
    expect(await complete('polygate --json batch --max')).toEqual(['--max-usd']);
  });
});
