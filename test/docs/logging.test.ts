import { readFileSync } from 'node:fs';

import { BudgetExceededError, PaymentRequiredError, Polygate } from 'polygate';
import type { BatchOptions, Journal, LogLevel } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import type { Fault } from 'polygate/mock';
import { expect, test } from 'vitest';

import { root } from './guides.ts';

const guide = readFileSync(new URL('docs/logging.md', root), 'utf8');
const documented = Array.from(
  guide.matchAll(/^- `(error|warn|info|debug)` `(.+?)`: /gm),
  ([, level = '', message = '']) => `${level} ${message}`,
);

const route = 'POST /v1/images/tasks';
const params = { model: 'prism-image', prompt: 'A harbor' };
/** A journal that fails when such a line is appended, and that cannot be unlocked. */
const failingJournal = (type: string, lines: readonly string[] = []): Journal => ({
  async *read() {
    yield '{"v":1,"type":"run","run":"r-1"}';
    yield* lines;
  },
  append: async (line) => {
    if (line.includes(`"type":"${type}"`)) throw new Error('ENOSPC');
  },
  lock: async () => () => Promise.reject(new Error('EACCES')),
});
const chatLine = JSON.stringify({
  v: 1,
  type: 'submit',
  id: '0',
  path: '/v1/chat/completions',
  hash: 'h-1',
});
const damagedJournal: Journal = {
  async *read() {
    yield '{"v":1,"type":"su';
    yield '{"v":1,"type":"run","run":"r-1"}';
  },
  append: async () => {},
};

interface Scenario {
  title: string;
  fault?: Fault;
  level?: LogLevel;
  run: (gateway: Polygate) => Promise<unknown>;
}

const submit = (gateway: Polygate) => gateway.images.submit(params);
const batch = (journal?: Journal, maxUsd?: number) => async (gateway: Polygate) => {
  const rows = gateway.batch(['a'], () => gateway.images.submission(params), { journal, maxUsd });
  for await (const { id } of rows) expect(id).toBe('0');
};

const batchOfChats = (options: BatchOptions<string>) => async (gateway: Polygate) => {
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const describeRow = () => gateway.chat.completions.submission({ model: 'aurora-chat', messages });
  for await (const { id } of gateway.batch(['a'], describeRow, options)) expect(id).toBe('0');
};

const scenarios: Scenario[] = [
  {
    title: 'a callback that throws',
    run: (gateway) =>
      submit(
        gateway.withOptions({
          onCharge: () => {
            throw new Error('The database is down');
          },
        }),
      ),
  },
  {
    title: 'a full disk at a charge',
    run: (gateway) =>
      expect(batch(failingJournal('accepted'))(gateway)).rejects.toThrow('appending failed'),
  },
  {
    title: 'a full disk at a rejection',
    fault: { route, status: 404 },
    run: batch(failingJournal('refused')),
  },
  { title: 'a full disk at the end of a row', run: batch(failingJournal('finished')) },
  {
    title: 'a full disk at the rejection of a chat',
    fault: { route: 'POST /v1/chat/completions', status: 404 },
    run: batchOfChats({ journal: failingJournal('refused') }),
  },
  { title: 'a limit without a lock', run: batch(damagedJournal, 1) },
  {
    title: 'a chat that may be sent again',
    run: batchOfChats({ journal: failingJournal('none', [chatLine]), resendUnknown: true }),
  },
  {
    title: 'a budget of a batch',
    run: (gateway) =>
      expect(batchOfChats({ maxUsd: 0 })(gateway)).rejects.toThrow(BudgetExceededError),
  },
  { title: 'a damaged journal', run: batch(damagedJournal) },
  { title: 'a 503', fault: { route, status: 503, times: 1 }, run: submit },
  { title: 'a lost response', fault: { route, reset: 'after', times: 1 }, run: submit },
  {
    title: 'an empty wallet',
    fault: { route, status: 402 },
    run: (gateway) => expect(batch()(gateway)).rejects.toThrow(PaymentRequiredError),
  },
  {
    title: 'a fallback',
    fault: { model: 'aurora-chat', status: 503 },
    run: (gateway) =>
      gateway
        .withOptions({ maxRetries: 0 })
        .chat.completions.create(
          { model: 'aurora-chat', messages: [{ role: 'user', content: 'Hello' }] },
          { fallback: ['aurora-reasoner'] },
        ),
  },
  { title: 'a charge', level: 'info', run: submit },
  { title: 'a response', level: 'debug', run: submit },
];

/** The messages of a scenario, each with its level. */
async function messagesOf({ fault, level = 'warn', run }: Scenario): Promise<string[]> {
  const mock = createMockGateway({ clock: 'virtual' });
  if (fault !== undefined) mock.fail(fault);
  const messages: string[] = [];
  const at = (name: string) => (message: string) => {
    messages.push(`${name} ${message.replace(/^polygate: /, '')}`);
  };
  const logger = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
  const { apiKey, baseURL, fetch, clock } = mock;
  const gateway = new Polygate({ apiKey, baseURL, fetch, clock, logger, logLevel: level });
  await clock.settle(run(gateway));
  return messages;
}

/** Whether the guide lists a message; `…` in the guide stands for any text. */
const isListed = (message: string) =>
  documented.some((text) => {
    const [start = '', end] = text.split('…');
    return end === undefined
      ? message === text
      : message.startsWith(start) && message.endsWith(end);
  });

test.each(scenarios)('the guide lists what is logged after $title', async (scenario) => {
  const messages = await messagesOf(scenario);
  expect(messages).not.toEqual([]);
  expect(messages.filter((message) => !isListed(message))).toEqual([]);
});

test('each message that the guide lists is logged', async () => {
  const messages = (await Promise.all(scenarios.map(messagesOf))).flat();
  expect(documented).toHaveLength(16);
  const unused = documented.filter((text) => {
    const [start = ''] = text.split('…');
    return !messages.some((message) => message.startsWith(start));
  });
  expect(unused).toEqual([]);
});
