import { Polygate } from 'polygate';
import { expect, test } from 'vitest';

/** A client whose requests all get this status, with a body that breaks off. */
function clientOf(
  status: number,
  options: Partial<ConstructorParameters<typeof Polygate>[0]> = {},
) {
  let requests = 0;
  const fetch = async () => {
    requests += 1;
    const body = new ReadableStream({
      pull: (controller) => controller.error(new TypeError('terminated')),
    });
    return new Response(body, { status, headers: { 'content-type': 'application/json' } });
  };
  const settings = {
    apiKey: 'sk-test-1234',
    baseURL: 'https://gateway.example',
    logLevel: 'off',
  } as const;
  return { gateway: new Polygate({ ...settings, fetch, ...options }), requests: () => requests };
}

const messages = [{ role: 'user' as const, content: 'Hi' }];

test.each([
  // The proxy responds with it to a chat that it has already forwarded.
  { status: 409, outcome: 'unknown', text: 'may have been charged' },
  { status: 400, outcome: 'rejected', text: 'Nothing was charged.' },
  { status: 404, outcome: 'rejected', text: 'Nothing was charged.' },
  { status: 500, outcome: 'unknown', text: 'may have been charged' },
])(
  'a $status of a chat whose body is lost has the outcome $outcome',
  async ({ status, outcome, text }) => {
    const { gateway, requests } = clientOf(status);
    const error = await gateway.chat.completions
      .create({ model: 'aurora-chat', messages })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status, outcome, message: expect.stringContaining(text) });
    expect(requests()).toBe(1);
  },
);

test('a hook that fails at a 409 leaves open whether the chat was charged', async () => {
  const hooks = {
    afterResponse: [
      () => {
        throw new Error('broken');
      },
    ],
  };
  const { gateway, requests } = clientOf(409, { hooks });
  const error = await gateway.chat.completions
    .create({ model: 'aurora-chat', messages })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'HookError', outcome: 'unknown' });
  expect(requests()).toBe(1);
});
