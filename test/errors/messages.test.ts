import { describe, expect, test } from 'vitest';

import type { Outcome } from '../../src/index.ts';
import {
  caught,
  chat,
  clientOf,
  errorReply,
  hang,
  image,
  jsonReply,
  reset,
  scripted,
  submitted,
  textReply,
  unreachable,
  virtualClock,
} from '../client/support.ts';
import type { Reply } from '../client/support.ts';

const json = (body: unknown): Reply => textReply(400, JSON.stringify(body), 'application/json');

/** Returns the error of a submit that fails with a reply. */
async function submitError(reply: Reply) {
  const clock = virtualClock();
  const { fetch } = scripted(reply);
  const gateway = clientOf(fetch, { clock, maxRetries: 0 });
  return caught(clock.settle(gateway.images.submit(image)));
}

describe('the body of an error response', () => {
  const message = 'The prompt is too long';
  const bodies: readonly (readonly [string, unknown, Readonly<Record<string, unknown>>])[] = [
    [
      'an error object',
      { error: { message, type: 'invalid_request_error', code: 'too_long', param: 'prompt' } },
      { code: 'too_long', type: 'invalid_request_error', param: 'prompt' },
    ],
    ['an error string', { error: message }, { code: undefined }],
    ['code and message', { code: 'too_long', message, data: null }, { code: 'too_long' }],
    ['a detail', { detail: message }, { code: undefined }],
    ['success: false', { success: false, message }, { code: undefined }],
    ['an error object with nulls', { error: { message, type: null, code: null, param: null } }, {}],
  ];

  test.each(bodies)('may be %s', async (_, body, fields) => {
    const error = await submitError(json(body));
    expect(error.name).toBe('BadRequestError');
    expect(error.message).toContain(message);
    expect(error.body).toEqual(body);
    for (const [name, value] of Object.entries(fields)) expect(error[name]).toBe(value);
  });

  test('may be HTML, which is kept in `body` but not quoted in the message', async () => {
    const html = '<!doctype html>\n<html><body><h1>Bad gateway</h1></body></html>';
    const error = await submitError(textReply(502, html, 'text/html'));
    expect(error.name).toBe('ServerError');
    expect(error.body).toBe(html);
    expect(error.message).not.toContain('<html>');
    expect(error.message).toContain('502');
  });

  test.each([
    ['text', 'upstream\nconnect error', 'upstream connect error'],
    ['empty', '', '400'],
    ['blank', ' \n ', '400'],
    ['null', 'null', '400'],
    ['a number', '42', '400'],
    ['an empty object', '{}', '400'],
    ['an error of null', '{"error":null}', '400'],
    ['an error list', '{"error":[{"msg":"x"}]}', '400'],
    ['broken JSON', '{"error": {"message": "half', '400'],
  ])('may be %s', async (_, body, shown) => {
    const error = await submitError(textReply(400, body));
    expect(error.name).toBe('BadRequestError');
    expect(error.message).toContain(shown);
    expect(error.message.trim()).not.toBe('');
    expect(error.message).not.toMatch(/undefined|\[object/);
  });

  test('does not modify any prototype', async () => {
    const body = '{"error":{"message":"x","__proto__":{"polluted":1},"constructor":{"name":"y"}}}';
    const error = await submitError(textReply(400, body, 'application/json'));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(error.polluted).toBeUndefined();
    expect(error.name).toBe('BadRequestError');
  });

  test('cannot overwrite fields set by the client', async () => {
    const lies = {
      status: 200,
      outcome: 'rejected',
      idempotencyKey: 'theirs',
      name: 'Lie',
      stack: '',
    };
    const body = { ...lies, error: { message: 'x', ...lies } };
    const error = await submitError(textReply(500, JSON.stringify(body), 'application/json'));
    expect(error).toMatchObject({ status: 500, outcome: 'unknown', name: 'ServerError' });
    expect(error.idempotencyKey).not.toBe('theirs');
    expect(error.stack).not.toBe('');
  });
});

describe('an error message', () => {
  const failures: readonly (readonly [string, Reply, Outcome])[] = [
    ['400', errorReply(400, 'bad'), 'rejected'],
    ['401', errorReply(401, 'invalid_api_key'), 'rejected'],
    ['402', errorReply(402, 'insufficient_balance'), 'rejected'],
    ['403', errorReply(403, 'api_key_disabled'), 'rejected'],
    ['404', errorReply(404, 'model_not_found'), 'rejected'],
    ['409', errorReply(409, 'conflict'), 'rejected'],
    ['422', errorReply(422, 'no'), 'rejected'],
    ['429', errorReply(429, 'slow_down'), 'rejected'],
    ['500', errorReply(500, 'internal_error'), 'unknown'],
    ['502', textReply(502, ''), 'unknown'],
    ['503', errorReply(503, 'service_unavailable'), 'rejected'],
    ['504', textReply(504, '<html>'), 'unknown'],
    ['reset', reset, 'unknown'],
    ['refused connection', unreachable, 'not-sent'],
    ['timeout', hang, 'unknown'],
    ['non-JSON response', textReply(200, '<html>'), 'unknown'],
  ];

  test.each(failures)(
    'for a %s is one line that says whether the request may have been charged',
    async (_, reply, outcome) => {
      const error = await submitError(reply);
      expect(error.outcome).toBe(outcome);
      expect(error.message).not.toMatch(/[\r\n]/);
      expect(error.message).toMatch(
        outcome === 'unknown'
          ? /may have been (charged|paid)/i
          : /nothing was (charged|paid|sent)/i,
      );
      expect(error.message).toContain('POST /v1/images/tasks');
    },
  );

  test('for a chat request without an idempotency key warns about a double charge', async () => {
    const { fetch } = scripted(reset);
    const error = await caught(clientOf(fetch).chat.completions.create(chat));
    expect(error.message).toMatch(/may have been (charged|paid)/i);
    expect(error.message).toMatch(/again/i);
    expect(error.message).not.toContain('idempotencyKey');
  });

  test('for a GET does not mention charges', async () => {
    const { fetch } = scripted(errorReply(404));
    const error = await caught(clientOf(fetch).models.retrieve('m'));
    expect(error.message).not.toMatch(/charged|paid/i);
  });

  test.each([
    ['a long message', 'x'.repeat(100_000)],
    ['a message with many lines', 'line\r\n'.repeat(1_000)],
    ['a message with line separators', 'a\u2028b\u2029c\u0085d\u000be'],
  ])('quotes %s from the service as one short line', async (_, message) => {
    for (const body of [{ error: { message } }, { error: message }, { detail: message }]) {
      const error = await submitError(json(body));
      expect(error.message).not.toMatch(/[\r\n\u2028\u2029]/);
      expect(error.message.length).toBeLessThan(900);
    }
  });

  test('for a failed connection includes the system error code', async () => {
    expect((await submitError(unreachable)).message).toContain('ECONNREFUSED');
    expect((await submitError(reset)).message).toContain('ECONNRESET');
  });
});

describe('a network error', () => {
  test.each([
    ['ENOTFOUND', 'not-sent'],
    ['EAI_AGAIN', 'not-sent'],
    ['ECONNREFUSED', 'not-sent'],
    ['UND_ERR_CONNECT_TIMEOUT', 'not-sent'],
    ['EADDRNOTAVAIL', 'not-sent'],
    ['CERT_HAS_EXPIRED', 'not-sent'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'not-sent'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'not-sent'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'not-sent'],
    ['ERR_PROXY_TUNNEL', 'not-sent'],
    ['LOST_BEHIND_PROXY_TUNNEL', 'unknown'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'unknown'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'unknown'],
    ['ECONNRESET', 'unknown'],
    ['EPIPE', 'unknown'],
    ['UND_ERR_SOCKET', 'unknown'],
    ['UND_ERR_HEADERS_TIMEOUT', 'unknown'],
    ['SOMETHING_NEW', 'unknown'],
  ])('with the code %s has the outcome %s', async (code, outcome) => {
    const error = await submitError(() => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });
    });
    expect(error.name).toBe('ConnectionError');
    expect(error.outcome).toBe(outcome);
  });

  test.each([
    // Node and undici, when a proxy opens no tunnel.
    ['Proxy response (407) !== 200 when HTTP Tunneling', 'not-sent'],
    ['Client network socket disconnected before secure TLS connection was established', 'not-sent'],
    ['other side closed when HTTP Tunneling', 'unknown'],
    ['Proxy response (407) !== 200 when HTTP Tunneling, after the request', 'unknown'],
    ['other side closed', 'unknown'],
    // On a connection that was established.
    ['connect EHOSTUNREACH 10.0.0.1:443', 'not-sent', 'EHOSTUNREACH'],
    ['read EHOSTUNREACH', 'unknown', 'EHOSTUNREACH'],
    ['write ENETUNREACH', 'unknown', 'ENETUNREACH'],
  ])('with the message "%s" has the outcome %s', async (message, outcome, code?: string) => {
    const error = await submitError(() => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
    });
    expect(error.outcome).toBe(outcome);
  });

  test.each([
    ['a string'],
    [undefined],
    [null],
    [{ code: 7 }],
    [new DOMException('x', 'AbortError')],
  ])('is well-formed if fetch throws %o', async (thrown) => {
    const error = await submitError(() => {
      throw thrown;
    });
    expect(error.name).toBe('ConnectionError');
    expect(error.outcome).toBe('unknown');
    expect(error.message).not.toMatch(/[\r\n]/);
  });
});

describe('the message about a submitted task', () => {
  const finished = { id: 'task_1', status: 'succeeded' };

  test.each([
    ['its last poll', [submitted, jsonReply(200, finished)]],
    ['the submit', [jsonReply(202, finished)]],
  ] as const)(
    'without a result does not recommend waiting, if that is known from %s',
    async (_, [first, ...replies]) => {
      const { fetch } = scripted(first, ...replies);
      const clock = virtualClock();
      const error = await caught(clock.settle(clientOf(fetch, { clock }).images.generate(image)));
      expect(error).toMatchObject({ name: 'ResponseValidationError', body: finished });
      expect(error.task).toMatchObject({ id: 'task_1' });
      expect(error.message).toContain(
        'Task task_1 has ended and was charged. Contact the service with its id instead of waiting again.',
      );
      expect(error.message).not.toContain('error.task.wait()');
    },
  );

  test('recommends waiting if the state of the task is unknown', async () => {
    const { fetch } = scripted(reset);
    const error = await caught(clientOf(fetch, { maxRetries: 0 }).images.task('task_1').retrieve());
    expect(error.message).toContain('Task task_1 is not lost: continue with error.task.wait().');
  });

  test.each([['out of\ncredits'], ['out of credits.']])(
    'that failed with "%s" is one line that says how to try again',
    async (message) => {
      const failed = { id: 'task_1', status: 'failed', error: { message } };
      const { fetch } = scripted(submitted, jsonReply(200, failed));
      const clock = virtualClock();
      const error = await caught(clock.settle(clientOf(fetch, { clock }).images.generate(image)));
      expect(error.message).toBe(
        'Task task_1 failed: out of credits. Your balance shows whether it was refunded. To try again, use a new idempotency key.',
      );
    },
  );
});

test.each(['failed', 'deleted', 'available'])(
  'the message about a material with the status %s says how to try again',
  async (status) => {
    const { fetch } = scripted(jsonReply(200, { id: 'mat_1', status, uri: null }));
    const error = await caught(clientOf(fetch).materials.wait('mat_1'));
    expect(error.message).toBe(
      `Material mat_1 has the status ${status} and no usable URI. To try again, use a new idempotency key.`,
    );
  },
);
