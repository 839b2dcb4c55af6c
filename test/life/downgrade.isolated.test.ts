/**
 * What is stored is read by version 0.3, whose types are listed here as its source declares them: a program that is taken back to
 * it continues its requests, and pays for none twice. A new field must be one that 0.3 can ignore, and is listed as such.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { requestHash } from '../../src/client/batch/journal-line.ts';
import { canonicalJson } from '../../src/integrations/bullmq/add-rows.ts';
import { isRedisInstalled, startRedis } from '../integrations/bullmq/redis-server.ts';
import type { RedisServer } from '../integrations/bullmq/redis-server.ts';
import { browser } from './browser.ts';
import type { Driver, Run } from './driver.ts';
import { batch, chats, fullBatches } from './journal.ts';
import { queueIn } from './queue.ts';
import { commandLine, mcp } from './state-folder.ts';

beforeAll(() => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(console, 'warn').mockReturnValue();
});

/** The types of the fields that 0.3 reads. A field that it requires ends with `!`. What it ignores is `ignored`. */
type Shape = Readonly<Record<string, string>>;

const charges = { usd: 'number', estimatedUsd: 'number', largestUsd: 'ignored' };
const intent = { 'hash!': 'string', 'path!': 'string', params: 'object', fallback: 'object' };
const receipt = {
  'v!': 'number',
  'kind!': 'string',
  'id!': 'string',
  model: 'string',
  idempotencyKey: 'string',
  chargeUsd: 'number',
  submittedAt: 'string',
};
const line = { 'v!': 'number', 'type!': 'string' };
const rowLine = { ...line, 'id!': 'string' };

/** The lines of a journal. A lost or void request counts as one more or less in 0.3, so that a row stays open. */
const lines: Readonly<Record<string, Shape>> = {
  run: { ...line, 'run!': 'string' },
  submit: { ...rowLine, ...intent, ...charges, key: 'string', units: 'ignored', lost: 'ignored' },
  accepted: { ...rowLine, ...charges, 'receipt!': 'object' },
  completed: { ...rowLine, ...charges, 'completion!': 'object' },
  refused: { ...rowLine, ...charges, paused: 'boolean', void: 'ignored' },
  finished: { ...rowLine, 'status!': 'string' },
};

/** A file of the state folder. */
const task: Shape = {
  'v!': 'number',
  'kind!': 'string',
  'baseURL!': 'string',
  'account!': 'string',
  'idempotencyKey!': 'string',
  'hash!': 'string',
  'createdAt!': 'string',
  'output!': 'string',
  request: 'object',
  receipt: 'object',
  status: 'string',
  resent: 'ignored',
};

/** An entry in the storage of a browser. */
const entry: Shape = {
  'v!': 'number',
  'key!': 'string',
  'fingerprint!': 'string',
  params: 'any',
  receipt: 'object',
  status: 'string',
  progress: 'number',
  generation: 'object',
  reported: 'boolean',
};

/** The state of a row in Redis. */
const state: Shape = {
  key: 'string',
  failures: 'number',
  mayBeCharged: 'boolean',
  countedUsd: 'ignored',
  reservesAnew: 'ignored',
  receipt: 'object',
  deadline: 'number',
  interval: 'number',
  progress: 'number',
  generation: 'object',
  completion: 'object',
  error: 'object',
};
const data: Shape = {
  'id!': 'string',
  'kind!': 'string',
  'path!': 'string',
  'hash!': 'string',
  'key!': 'string',
  params: 'object',
  fallback: 'object',
};
/** The fields of a row next to those of BullMQ. */
const rowFields = ['status', 'state', 'turn', 'spent', 'paid'];
const ignoredRowFields = ['admission', 'resumes', 'retry', 'task', 'unpriced'];
const statuses = ['waiting', 'submitting', 'running', 'succeeded', 'failed', 'unknown'];

/** Checks a record, and the receipt that it contains. Returns it. */
function checkRecord(value: unknown, shape: Shape): Record<string, unknown> {
  const record: Record<string, unknown> = Object(value);
  const types = new Map(
    Object.entries(shape).map(([name, type]) => [name.replace('!', ''), type] as const),
  );
  for (const [name, field] of Object.entries(record)) {
    const type = types.get(name);
    expect(type, `0.3 does not know ${name}`).toBeDefined();
    if (type !== 'ignored' && type !== 'any') expect([name, typeof field]).toEqual([name, type]);
    if (name === 'receipt') checkRecord(field, receipt);
  }
  for (const name of Object.keys(shape).filter((one) => one.endsWith('!'))) {
    expect(record, 'is required by 0.3').toHaveProperty(name.replace('!', ''));
  }
  if ('v' in record) expect(record.v).toBe(1);
  return record;
}

const fates = ['unpaid', 'lost-before', 'lost-after', 'invalid', 'void', 'accepted'] as const;

/** Everything that a driver stores, whatever happens to its requests. */
async function storedBy({ open }: Driver): Promise<string[]> {
  const stored = new Set<string>();
  for (const first of fates) {
    for (const death of ['never', 'recorded', 'in-flight', 'accepted', 'polled'] as const) {
      const world = open();
      const run = { params: 0, isSlow: false, isFull: false };
      const runs: Run[] = [
        { ...run, fate: first, death },
        { ...run, fate: 'void', death: 'never' },
        { ...run, fate: 'accepted', death: 'never' },
      ];
      for (const each of runs) {
        await world.start(each, Promise.resolve());
        stored.add(await world.stored());
      }
      await world.close?.();
    }
  }
  return [...stored].filter(Boolean);
}

const parsed = (texts: readonly string[]): unknown[] => texts.map((text) => JSON.parse(text));

/** 0.3 sends stored params again only if they have the stored fingerprint. */
async function checkHash(
  value: unknown,
  toJson: (params: unknown) => string = JSON.stringify,
): Promise<void> {
  const { path, params, fallback, hash } = Object(value);
  expect(await requestHash(path, toJson(params), fallback)).toBe(hash);
}

test('the lines of a journal', async () => {
  const texts: string[] = [];
  for (const driver of [batch, chats, ...fullBatches]) texts.push(...(await storedBy(driver)));
  const records = parsed([...new Set(texts.flatMap((text) => text.split('\n')))]).map((value) =>
    checkRecord(value, lines[Object(value).type] ?? {}),
  );
  expect(new Set(records.map(({ type }) => type))).toEqual(new Set(Object.keys(lines)));
  const submits = records.filter(({ type }) => type === 'submit');
  const names = new Set(submits.flatMap((record) => Object.keys(record)));
  expect([...names]).toEqual(expect.arrayContaining(['params', 'fallback', 'units']));
  for (const record of submits) if (record.params) await checkHash(record);
});

test.each([commandLine, mcp])('the files of $name', async (driver) => {
  const texts = (await storedBy(driver)).flatMap((text) => text.split(/\n(?=\{)/));
  const records = parsed(texts).map((value) => checkRecord(value, task));
  expect(records.some((record) => record.receipt)).toBe(true);
  expect(records.some((record) => record.request)).toBe(true);
});

test('the entries of a browser', async () => {
  const records = parsed(await storedBy(browser)).map((value) => checkRecord(value, entry));
  expect(records.some((record) => record.generation)).toBe(true);
  expect(records.some((record) => !record.receipt)).toBe(true);
});

describe.runIf(isRedisInstalled)('with Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  test('the rows of a queue', async () => {
    const rows = parsed([
      ...(await storedBy(queueIn(() => redis.url))),
      ...(await storedBy(queueIn(() => redis.url, ['prism-sketch']))),
    ]);
    const requests = rows.map((value): unknown => JSON.parse(Object(value).data ?? '{}'));
    expect(requests.some((request) => Object(request).fallback)).toBe(true);
    for (const request of requests) await checkHash(request, canonicalJson);
    const seen = rows.map((value) => {
      const row: Record<string, string> = Object(value);
      const own = Object.keys(row).filter((name) => name.startsWith('pg:'));
      expect([...rowFields, ...ignoredRowFields]).toEqual(
        expect.arrayContaining(own.map((name) => name.slice(3))),
      );
      const { 'pg:status': status = 'waiting', 'pg:state': text = '{}' } = row;
      checkRecord(JSON.parse(row.data ?? ''), data);
      const { receipt: found } = checkRecord(JSON.parse(text), state);
      // Its worker would not know what to wait for.
      if (status === 'running') expect(found).toBeDefined();
      return status;
    });
    expect(statuses).toEqual(expect.arrayContaining(seen));
    expect(seen).toContain('unknown');
  });
});
