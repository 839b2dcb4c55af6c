import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, onTestFinished, test } from 'vitest';

import { NodeResponse } from '../../../../src/integrations/node/fetch/response.ts';
import { eventually } from '../../../support/eventually.ts';
import { openFetch, serve } from './support.ts';

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

/** Collects a response that is no longer referenced, and lets its finalizers run. */
async function collect(): Promise<void> {
  const witness = new WeakRef(new Response());
  for (let round = 0; round < 50; round += 1) {
    await sleep(1);
    gc();
    if (round > 5 && witness.deref() === undefined) return;
  }
}

async function serveText() {
  return serve((_, response) => {
    response.writeHead(200, { 'content-length': 4 });
    response.write('te');
    setTimeout(() => response.end('xt'), 300);
  });
}

describe('a response that was collected before its body is read', () => {
  test('leaves the body complete', async () => {
    const { url } = await serveText();
    const { body } = await openFetch()(url);
    await collect();
    expect(await new Response(body).text()).toBe('text');
  });

  test('leaves its copies complete', async () => {
    const { url } = await serveText();
    const copy = (await openFetch()(url)).clone();
    await collect();
    expect(await copy.text()).toBe('text');
  });

  test('closes its connection if nothing else can read it', async () => {
    const { url, sockets } = await serve((_, response) => void response.write('endless'));
    await openFetch()(url);
    void (await openFetch()(url)).clone();
    void (await openFetch()(url)).body;
    const timer = setInterval(gc, 20);
    onTestFinished(() => clearInterval(timer));
    await eventually(() => {
      expect(sockets.slice(0, 3).map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
    });
  });
});

test('reading `body` after the client has opened it does not end it', async () => {
  const { url } = await serveText();
  const response = await openFetch()(url);
  if (!(response instanceof NodeResponse)) throw new Error('not from here');
  const reader = response.openBody();
  expect(response.body).toBeInstanceOf(ReadableStream);
  expect(response.bodyUsed).toBe(true);
  let text = '';
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += Buffer.from(next.value ?? []).toString();
  }
  expect(text).toBe('text');
});
