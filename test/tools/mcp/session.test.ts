import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { keyOf, openSession, outputOf } from '../../../src/tools/mcp/session.ts';

let folder = '';
let environment: Record<string, string> = {};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'polygate-session-'));
  environment = { XDG_STATE_HOME: join(folder, 'state') };
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const open = (name: string) => openSession(join(folder, name), environment);
const call = { tool: 'generate_image', body: { model: 'prism-image' }, again: undefined };

test('a folder has one session, which stays when the folder is emptied', () => {
  const first = open('media');
  rmSync(join(folder, 'media'), { recursive: true });
  expect(open('media')).toEqual(first);
  expect(open('other').id).not.toBe(first.id);
});

test('the session is readable by its owner only, and leaves no other files', () => {
  open('media');
  const state = join(folder, 'state', 'polygate', 'mcp');
  const names = readdirSync(state);
  expect(names).toHaveLength(1);
  expect(statSync(join(state, names[0]!)).mode & 0o077).toBe(0);
});

test('a damaged session is an error, because with another one calls are paid for again', () => {
  open('media');
  const state = join(folder, 'state', 'polygate', 'mcp');
  writeFileSync(join(state, readdirSync(state)[0]!), '{');
  expect(() => open('media')).toThrow(/is damaged/);
});

test('a folder with braces is an error, because they are placeholders', () => {
  mkdirSync(join(folder, '{id}'));
  expect(() => open('{id}')).toThrow(/braces/);
});

test('the key depends on session, tool, request and label', () => {
  const [session, other] = [open('media'), open('other')];
  const keys = [
    keyOf(session, call),
    keyOf(other, call),
    keyOf(session, { ...call, tool: 'generate_video' }),
    keyOf(session, { ...call, body: { model: 'prism-sketch' } }),
    keyOf(session, { ...call, again: '2' }),
  ];
  expect(new Set(keys)).toHaveLength(5);
  expect(keyOf(open('media'), call)).toBe(keys[0]);
  expect(outputOf(session, 'image', keys[0]!)).toMatch(/\/media\/image-[\da-f]{12}\.\{ext\}$/);
});
