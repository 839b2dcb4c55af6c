import { createMockGateway } from 'polygate/mock';
import type { Fault, MockGatewayOptions } from 'polygate/mock';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { Lab } from '../../playground/lab/lab.ts';
import type { Exchange, LabState } from '../../playground/shared/lab.ts';
import { describeRepeatedCharges } from '../../playground/shared/repeated-charges.ts';

const apiKey = 'sk-canary';
const baseURL = 'http://gateway.example';
const image = { model: 'prism-image', prompt: 'A harbor' };

/** The lab over a reference gateway, whose requests it records. */
function setUp(options: MockGatewayOptions = {}) {
  const mock = createMockGateway({ keys: [{ key: apiKey }], wallet: { usd: 5 }, ...options });
  const fetch: typeof globalThis.fetch = (input, init) => mock.fetch(input, init);
  const lab = new Lab({ apiKey, baseURL, fetch, mock });
  const recorded = lab.recorder.record(fetch);
  const send = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await recorded(`${baseURL}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  const submit = (key: string) => send('/v1/images/tasks', image, { 'x-idempotency-key': key });
  return { mock, lab, send, submit };
}

/** Sends a request of the page to the lab. */
async function ask(lab: Lab, path: string, body?: object, site = 'same-origin'): Promise<Response> {
  const init = body && { method: 'POST', body: JSON.stringify(body) };
  const headers = { 'sec-fetch-site': site };
  return lab.handle(new Request(`http://page/api/lab/${path}`, { ...init, headers }));
}

/** The state that the lab sends first. */
async function readState(lab: Lab): Promise<LabState> {
  const { body } = await ask(lab, 'events');
  const reader = body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return JSON.parse(new TextDecoder().decode(value).replace('data: ', ''));
}

async function readExchange(lab: Lab, number: number): Promise<Exchange> {
  return (await ask(lab, `attempts/${number}`)).json();
}

const lost: Fault = { route: 'POST /v1/images/tasks', reset: 'after', times: 1 };

describe('the flight recorder', () => {
  test('shows that a lost response was charged, and that its replay was not, as the invoice does', async () => {
    // Both attempts and the charge happen within one millisecond.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { mock, lab, submit } = setUp();
    mock.fail(lost);
    await expect(submit('row-1')).rejects.toThrow('fetch failed');
    await submit('row-1');
    const { attempts, invoice } = await readState(lab);
    const [task] = mock.tasks;
    expect(attempts).toMatchObject([
      { number: 1, state: 'lost', key: 'row-1', chargedUsd: 0.02, replay: false },
      { number: 2, state: 'completed', key: 'row-1', status: 202, reportedUsd: 0.02, replay: true },
    ]);
    expect(attempts[1]).toMatchObject({ resourceId: task?.id, requestId: expect.any(String) });
    expect(attempts[1]?.chargedUsd).toBeUndefined();
    expect(invoice).toMatchObject([{ usd: 0.02, key: 'row-1', kind: 'charge' }]);
  });

  test('has the headers and bodies of each attempt, without the API key', async () => {
    const { mock, lab, submit } = setUp();
    mock.fail(lost);
    await expect(submit('row-1')).rejects.toThrow('fetch failed');
    await submit('row-1');
    const [first, second] = [await readExchange(lab, 1), await readExchange(lab, 2)];
    expect(first.requestHeaders).toMatchObject({
      authorization: 'Bearer (hidden)',
      'x-idempotency-key': 'row-1',
    });
    expect(first.requestBody).toEqual({
      text: JSON.stringify(image),
      bytes: JSON.stringify(image).length,
      contentType: 'application/json',
      isCut: false,
    });
    expect([first.responseHeaders, first.failure]).toEqual([
      undefined,
      expect.stringMatching(/ECONNRESET/),
    ]);
    expect(second.responseHeaders).toMatchObject({ 'x-svc-idempotent-replay': 'true' });
    expect(JSON.parse(second.responseBody?.text ?? '')).toMatchObject({ id: mock.tasks[0]?.id });
    expect(JSON.stringify([first, second, await readState(lab)])).not.toContain(apiKey);
    expect((await ask(lab, 'attempts/3')).status).toBe(404);
  });

  test('hides keys in bodies and the URLs of identity checks', async () => {
    const { lab, send } = setUp();
    await send(
      '/v1/materials',
      {
        url: 'https://files.example/me.png',
        type: 'image',
        name: 'sk-pasted-by-mistake',
        real_person: { consent_confirmed: true, callback_url: 'https://page.example/?token=1' },
      },
      { 'idempotency-key': 'm-1' },
    );
    const { requestBody, responseBody } = await readExchange(lab, 1);
    expect(requestBody?.text).toMatch(/"name":"\(hidden\)".*"callback_url":"\(hidden\)"/);
    expect(responseBody?.text).toMatch(/"verification_url":"\(hidden\)"/);
    const [attempt] = (await readState(lab)).attempts;
    expect(attempt?.resourceId).toMatch(/^mat_/);
  });

  test('keeps the beginning of a large body, and the size of media', async () => {
    const { lab, send } = setUp();
    const data = 'A'.repeat(4096);
    await send('/v1/images/tasks', { ...image, image: `data:image/png;base64,${data}` });
    await send('/v1/images/tasks', { ...image, prompt: 'x'.repeat(50_000) });
    const [media, long] = [await readExchange(lab, 1), await readExchange(lab, 2)];
    expect(media.requestBody?.text).toMatch(/"data:image\/png;base64,A{16}… \(3 KB\)"/);
    expect(long.requestBody).toMatchObject({ bytes: expect.any(Number), isCut: true });
    expect(long.requestBody?.text).toHaveLength(32_768);
    expect(long.requestBody?.bytes).toBeGreaterThan(50_000);
  });

  test('reports the error code, and forgets the oldest calls', async () => {
    const { mock, lab, submit } = setUp({ wallet: { usd: 0 } });
    for (let number = 1; number <= 61; number += 1) await submit(`row-${number}`);
    const { attempts } = await readState(lab);
    expect([attempts.length, attempts[0]?.key]).toEqual([60, 'row-2']);
    expect(attempts[0]).toMatchObject({ status: 402, code: 'insufficient_balance' });
    expect(attempts[0]?.chargedUsd).toBeUndefined();
    expect(mock.invoice).toEqual([]);

    expect((await ask(lab, 'clear', {})).status).toBe(204);
    expect((await readState(lab)).attempts).toEqual([]);
  });
});

describe('the charges in the control room', () => {
  const chat = { model: 'aurora-chat', messages: [{ role: 'user', content: 'A harbor?' }] };

  test('a chat that is sent again after a lost response is paid twice, and a task is not', async () => {
    const { mock, lab, send, submit } = setUp();
    mock.fail({ reset: 'after', times: 1 });
    const sendChat = (id: string) => send('/v1/chat/completions', chat, { 'x-request-id': id });
    await expect(sendChat('message-1')).rejects.toThrow('fetch failed');
    await sendChat('message-1');
    await sendChat('message-2');
    mock.fail(lost);
    await expect(submit('row-1')).rejects.toThrow('fetch failed');
    await submit('row-1');
    const { invoice = [] } = await readState(lab);
    expect(mock.invoice).toHaveLength(4);
    expect(describeRepeatedCharges(invoice)).toBe('1 chat paid twice: chats have no key');
    await sendChat('message-1');
    await sendChat('message-2');
    const { invoice: longer = [] } = await readState(lab);
    expect(describeRepeatedCharges(longer)).toBe('2 chats paid more than once: chats have no key');
  });

  test.each([
    [[], undefined],
    [['a', 'b'], undefined],
    [['a', 'a', 'b'], '1 paid twice'],
  ])('charges for the keys %j are described as %j', (keys, expected) => {
    const lines = keys.map((key) => ({
      at: 1,
      usd: 0.02,
      model: 'prism-image',
      route: 'POST /v1/images/tasks',
      key,
      requestId: 'x',
      kind: 'charge' as const,
    }));
    expect(describeRepeatedCharges(lines)).toBe(expected);
  });
});

describe('the wallet of the reference gateway', () => {
  test('can be topped up', async () => {
    const { mock, lab, submit } = setUp({ wallet: { usd: 0.01 } });
    expect((await submit('row-1')).status).toBe(402);
    expect((await ask(lab, 'top-up', { usd: 5 })).status).toBe(204);
    expect((await submit('row-2')).status).toBe(202);
    expect(mock.wallet.usd).toBeCloseTo(4.99, 9);
    expect((await readState(lab)).wallet).toEqual({ usd: 4.99, startUsd: 0.01 });
  });

  test.each([0, -1, 1001, 'five', null])('rejects a top-up of %j', async (usd) => {
    const { mock, lab } = setUp();
    expect((await ask(lab, 'top-up', { usd })).status).toBe(400);
    expect(mock.wallet.usd).toBe(5);
  });

  test('can be reset, which empties the invoice and the flight recorder', async () => {
    const { lab, submit } = setUp();
    await submit('row-1');
    await ask(lab, 'top-up', { usd: 25 });
    expect((await ask(lab, 'reset', {})).status).toBe(204);
    expect(await readState(lab)).toMatchObject({
      wallet: { usd: 5, startUsd: 5, resetAt: expect.any(Number) },
      attempts: [],
      invoice: [],
    });
  });

  test('is not reset while a request is in flight', async () => {
    const { mock, lab, submit } = setUp({ clock: 'virtual' });
    mock.fail({ delayMs: 1000, times: 1 });
    const pending = submit('row-1');
    await expect.poll(() => mock.inFlight).toBe(1);
    expect((await ask(lab, 'reset', {})).status).toBe(409);
    expect(mock.invoice).toHaveLength(1);
    await mock.clock.advance(1000);
    await pending;
    expect((await ask(lab, 'reset', {})).status).toBe(204);
  });

  test('cannot be changed by another site, and that of a real gateway not at all', async () => {
    const { mock, lab } = setUp();
    expect((await ask(lab, 'top-up', { usd: 5 }, 'cross-site')).status).toBe(403);
    expect(mock.wallet.usd).toBe(5);
    const real = new Lab({ apiKey, baseURL, fetch: (input, init) => mock.fetch(input, init) });
    expect((await ask(real, 'top-up', { usd: 5 })).status).toBe(404);
    expect((await ask(real, 'reset', {})).status).toBe(404);
    expect((await readState(real)).wallet).toBeUndefined();
    expect(mock.wallet.usd).toBe(5);
  });
});
