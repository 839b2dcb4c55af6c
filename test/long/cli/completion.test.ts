import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { defaultModels, toModelRecord } from '../../../src/mock/models.ts';
import { commandLine, Program, run } from '../../tools/cli/program.ts';
import { afterTests, startService } from './service.ts';

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

let folder = '';
let env: Record<string, string> = {};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'polygate-completion-'));
  afterTests(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'harbor at dawn.csv'), '');
  // A shell would execute such an id.
  const models = defaultModels.map(toModelRecord);
  const [model] = models.filter(({ type }) => type === 'image');
  const harmful = { ...model!, id: 'prism-$(touch${IFS}harmed)' };
  const service = await startService({ models: [...models, harmful] });
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const command = commandLine('polygate', [])
    .map((part) => `'${part}'`)
    .join(' ');
  const npx = `#!/bin/sh\n[ "$1 $2" = "--no polygate" ] || exit 1\nshift 2\nexec ${command} "$@"\n`;
  writeFileSync(join(bin, 'npx'), npx);
  chmodSync(join(bin, 'npx'), 0o755);
  const PATH = [bin, process.env.PATH].join(delimiter);
  env = { ...service.env, PATH, HOME: folder, XDG_CONFIG_HOME: folder };
});

/** Writes the completion script of a shell to a file. */
const scriptOf = async (shell: string) => {
  const { stdout } = await run('polygate', ['completion', shell]);
  const path = join(folder, `_polygate.${shell}`);
  writeFileSync(path, stdout);
  return path;
};

/** Runs a script in a shell, in a folder with one file. */
const inShell = (shell: readonly string[], script: string) =>
  new Program([...shell, '-c', script], env, folder).end();

/** What completes a line, in every shell. */
const completed: [line: string, words: string[]][] = [
  ['polygate bal', ['balance']],
  ['polygate --json batch --max', ['--max-usd']],
  ['npx polygate bal', ['balance']],
  ['npx -y polygate batch --max', ['--max-usd']],
  ['polygate image A -m prism-', ['prism-image', 'prism-sketch']],
  ['npx polygate image A -m prism-', ['prism-image', 'prism-sketch']],
  ['polygate speech A -m ', ['echo-speech', 'echo-speech-hd']],
  ['polygate batch prompts.csv --model tide-v', ['tide-video']],
  ['polygate batch --max-usd ', []],
  ['polygate task ', ['list', 'get', 'wait']],
  ['polygate task --json g', ['get']],
  ['npx polygate completion ', ['bash', 'zsh', 'fish']],
  ['polygate batch --format ', ['csv', 'tsv', 'jsonl']],
  ['polygate batch prompts.csv --kind ch', ['chat']],
  ['polygate task wait t1 --kind v', ['video']],
  ['polygate models --type a', ['audio']],
  ['polygate mock --image-format s', ['svg']],
];

/** What bash and zsh complete besides. */
const completedWithFiles: [string, string[]][] = [
  ['polygate image A --model=prism-i', ['prism-image']],
  ['polygate image A -o har', ['harbor at dawn.csv']],
  ['npx polygate image A --output=har', ['harbor at dawn.csv']],
  ['polygate task wait har', ['harbor at dawn.csv']],
  ['polygate batch --format=t', ['tsv']],
  ['npx pol', ['polygate']],
  ['npx tsc har', ['harbor at dawn.csv']],
];

describe.skipIf(!has('bash'))('in bash', () => {
  const complete = async (line: string, before = '') => {
    const path = await scriptOf('bash');
    // A sign is a word of its own.
    const words = line.replaceAll('=', ' = ').split(/ +/);
    const state = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
    const printed = 'for word in "${COMPREPLY[@]}"; do echo "$word"; done';
    const script = `${before}\nsource ${path}; source ${path}; ${state}\n_polygate; ${printed}`;
    const { code, stdout, stderr } = await inShell(['bash', '--norc'], script);
    expect([code, stderr]).toEqual([0, '']);
    return stdout.split('\n').slice(0, -1);
  };

  test.each([...completed, ...completedWithFiles])('%s is completed', async (line, words) => {
    expect(await complete(line)).toEqual(words);
    expect(existsSync(join(folder, 'harmed'))).toBe(false);
  });

  test('other packages of npx are completed as before', async () => {
    const before = '_other() { COMPREPLY=(other); }; complete -F _other npx';
    expect(await complete('npx tsc har', before)).toEqual(['other']);
    expect(await complete('npx polygate bal', before)).toEqual(['balance']);
  });
});

describe.skipIf(!has('zsh'))('in zsh', () => {
  // Without a terminal, zsh completes nothing, so what the script offers is printed.
  const printed = `compdef() { echo "compdef $*" }
compadd() { shift; print -l -- \${(M)@:#$PREFIX*} }
compset() { PREFIX="\${PREFIX#*=}" }
_describe() { local -a names; names=("\${(@P)2%%:*}"); compadd -- $names }
_files() { print -l -- "$PREFIX"*(N) }
`;
  const stateOf = (line: string) => {
    const words = line.split(/ +/);
    const quoted = words.map((word) => `'${word}'`).join(' ');
    return `words=(${quoted}); CURRENT=\${#words}; PREFIX='${words.at(-1)}'; _polygate`;
  };

  test.each([...completed, ...completedWithFiles])('%s is completed', async (line, words) => {
    const path = await scriptOf('zsh');
    const { code, stdout, stderr } = await inShell(
      ['zsh', '-f'],
      `${printed} source ${path}\n${stateOf(line)}`,
    );
    expect([code, stderr]).toEqual([0, '']);
    const offered = stdout.split('\n').filter((word) => word !== '');
    expect(offered).toEqual(['compdef _polygate polygate npx', ...words]);
  });

  test('in a folder of fpath, the file is the function', async () => {
    const path = await scriptOf('zsh');
    const autoloaded = `${printed} fpath=(${folder} $fpath)
cp ${path} ${folder}/_polygate; autoload -Uz _polygate; ${stateOf('polygate ')}`;
    const { stdout } = await inShell(['zsh', '-f'], autoloaded);
    expect(stdout).toMatch(/^chat\n[^]*\nbatch\n/);
  });
});

describe.skipIf(!has('fish'))('in fish', () => {
  test.each([
    ...completed,
    ['polygate image A --model=prism-i', ['--model=prism-image']],
    ['polygate image A -o har', ['harbor at dawn.csv']],
    ['npx polygate image A -o har', ['harbor at dawn.csv']],
  ])('%s is completed', async (line, words) => {
    const path = await scriptOf('fish');
    const script = `source ${path}; complete -C '${line}'`;
    const { code, stdout, stderr } = await inShell(['fish', '--no-config'], script);
    expect([code, stderr]).toEqual([0, '']);
    const offered = stdout.split('\n').slice(0, -1);
    // Commands have descriptions. The shell decides about the order.
    expect(new Set(offered.map((word) => word.split('\t')[0]))).toEqual(new Set(words));
    expect(offered).toHaveLength(words.length);
  });
});
