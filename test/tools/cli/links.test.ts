import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { recordings } from '../../../src/mock/node/index.ts';
import { UsageError } from '../../../src/tools/cli/arguments.ts';
import { parseBatchArguments } from '../../../src/tools/cli/batch/options.ts';
import { giveName } from '../../../src/tools/cli/batch/save-row.ts';
import { StateFile } from '../../../src/tools/cli/mock/command.ts';
import { checkOutput } from '../../../src/tools/cli/save-results.ts';
import { writeConfigFile } from '../../../src/tools/cli/settings.ts';
import { writeDurably } from '../../../src/tools/cli/state-file.ts';
import { openSession } from '../../../src/tools/mcp/session.ts';
import { caught } from '../../client/support.ts';

/** A folder with a symbolic link `link`, whose target is in another folder and may exist. */
function linked(content?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'polygate-links-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'elsewhere'));
  const target = join(folder, 'elsewhere', 'target');
  if (content !== undefined) writeFileSync(target, content, { mode: 0o600 });
  symlinkSync('elsewhere/target', join(folder, 'link'));
  return { folder, target, link: join(folder, 'link') };
}

describe.each([
  ['exists', '{}'],
  ['does not exist', undefined],
])('a symbolic link whose target %s', (_, content) => {
  test.each<[string, (path: string) => unknown]>([
    ['results, copies, receipts and the state folder', (path) => writeDurably(path, 'new')],
    ['config.json', (path) => writeConfigFile(path, { apiKey: 'new' })],
    [
      'the state of the reference gateway',
      (path) => {
        const file = new StateFile(path);
        file.read();
        file.write({ state: 'new' });
      },
    ],
    [
      'a tape',
      async (path) => {
        const tape = recordings(path, { mode: 'record', fetch: async () => new Response('new') });
        await (await tape.fetch('https://host.example/v1/models')).text();
        await tape.save();
      },
    ],
    [
      'the result of a row with --force',
      (path) => {
        const staged = `${path}.part`;
        writeFileSync(staged, 'new');
        return giveName(staged, { name: path, extension: 'png', mayBeSaved: false, force: true });
      },
    ],
  ])('stays a link, and its target is written: %s', async (_name, write) => {
    const { link, target } = linked(content);
    await write(link);
    expect(readlinkSync(link)).toBe('elsewhere/target');
    expect(readFileSync(target, 'utf8')).toContain('new');
  });

  test('is the same file as its target', () => {
    const { folder, link, target } = linked(content);
    const parse = () =>
      parseBatchArguments([join(folder, 'p.csv'), '--journal', target, '--results', link]);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(/is named twice/);
  });
});

test('the result of a row goes through a link to a missing file, and to the next name after that', async () => {
  const { folder, link, target } = linked();
  const give = (text: string) => {
    const staged = join(folder, 'staged');
    writeFileSync(staged, text);
    return giveName(staged, { name: link, extension: 'png', mayBeSaved: false, force: false });
  };
  expect(await give('first')).toBe(link);
  expect(basename(await give('second'))).toBe('link-2');
  expect([readFileSync(target, 'utf8'), readlinkSync(link)]).toEqual(['first', 'elsewhere/target']);
});

test('a name with .. after a link is that of the file that is checked, recorded and written', () => {
  const { folder } = linked();
  mkdirSync(join(folder, 'elsewhere', 'inner'));
  symlinkSync('elsewhere/inner', join(folder, 'inner'));
  const name = `${folder}/inner/../a.{ext}`;
  expect(checkOutput(name, false)).toBe(join(folder, 'a.{ext}'));
  expect(parseBatchArguments(['p.csv', '-o', name])).toMatchObject({
    output: join(folder, 'a.{ext}'),
  });
  // Paths of a journal are those of the system: it is appended to in place.
  const parse = () =>
    parseBatchArguments([
      'p.csv',
      '--journal',
      `${folder}/inner/../j.jsonl`,
      '--results',
      join(folder, 'elsewhere', 'j.jsonl'),
    ]);
  expect(parse).toThrow(/is named twice/);
});

test('a folder that is a link to a missing one is created at its target', () => {
  const { folder } = linked();
  symlinkSync('elsewhere/results', join(folder, 'out'));
  checkOutput(join(folder, 'out', '{id}.png'), false);
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['results']);
});

test('the session of an MCP server is kept behind a link', () => {
  const { folder } = linked();
  const environment = { XDG_STATE_HOME: join(folder, 'state') };
  const output = join(folder, 'media');
  const sessions = join(folder, 'state', 'polygate', 'mcp');
  openSession(output, environment);
  const [name = ''] = readdirSync(sessions);
  rmSync(join(sessions, name));
  symlinkSync(join(folder, 'elsewhere', 'session.json'), join(sessions, name));
  const { id } = openSession(output, environment);
  expect(openSession(output, environment).id).toBe(id);
  expect(existsSync(join(folder, 'elsewhere', 'session.json'))).toBe(true);
});

test('links that form a loop are reported, and nothing is written', async () => {
  const { folder } = linked();
  const loop = join(folder, 'loop');
  symlinkSync('loop', loop);
  expect(await caught(Promise.resolve().then(() => writeDurably(loop, 'x')))).toMatchObject({
    code: 'ELOOP',
  });
});
