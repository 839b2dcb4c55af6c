import { addressOf } from './diagnosed-mock.ts';
import type { Wrap } from './diagnosed-mock.ts';

/** Sends the documented headers with another vendor prefix. */
export const withPrefix =
  (prefix: string): Wrap =>
  (fetch) =>
  async (input, init) => {
    const response = await fetch(input, init);
    const headers = new Headers();
    response.headers.forEach((value, name) => headers.set(name.replace(/^x-svc-/, prefix), value));
    return new Response(response.body, { status: response.status, headers });
  };

/** Takes the request id from another header, and returns it only there. */
export const withRequestIdHeader =
  (name: string): Wrap =>
  (fetch) =>
  async (input, init) => {
    const sent = new Headers(init?.headers);
    sent.delete('x-request-id');
    const id = sent.get(name);
    if (id !== null) sent.set('x-request-id', id);
    const response = await fetch(input, { ...init, headers: sent });
    const headers = new Headers(response.headers);
    headers.set(name, headers.get('x-request-id') ?? '');
    headers.delete('x-request-id');
    return new Response(response.body, { status: response.status, headers });
  };

/** Polls videos at a path that the client does not know. The OpenAPI document of the service names it. */
export const withVideoPath =
  (path: string): Wrap =>
  (fetch, mock) =>
  async (input, init) => {
    const url = new URL(addressOf(input));
    const isPoll = init?.method === 'GET' && /^\/v1\/videos?\/[^/]+/.test(url.pathname);
    if (isPoll) url.pathname = '/v1/not/found';
    if (url.pathname.startsWith(path)) {
      url.pathname = url.pathname.replace(path, '/v1/videos');
      return fetch(url, init);
    }
    const response = await fetch(url, init);
    if (!url.pathname.endsWith('/openapi.json')) return withoutLocation(response, mock.baseURL);
    const document = await response.json();
    const { '/v1/videos/{taskId}': poll, ...paths } = document.paths;
    return Response.json({ ...document, paths: { ...paths, [`${path}/{job_id}`]: poll } });
  };

/** Removes what names the poll path of a task. */
async function withoutLocation(response: Response, baseURL: string): Promise<Response> {
  const headers = new Headers(response.headers);
  headers.delete('location');
  headers.delete('content-length');
  if (response.status !== 202)
    return new Response(response.body, { status: response.status, headers });
  const text = await response.text();
  return new Response(text.replaceAll(`"poll_url":"${baseURL}`, '"other":"'), {
    status: 202,
    headers,
  });
}

/** Makes the service charge replays. */
export const withoutKeys: Wrap = (fetch) => (input, init) => {
  const headers = new Headers(init?.headers);
  headers.delete('x-idempotency-key');
  return fetch(input, { ...init, headers });
};

/** Removes the headers that report charges. */
export const withoutCharges: Wrap = (fetch) => async (input, init) => {
  const response = await fetch(input, init);
  response.headers.delete('x-svc-charge-usd');
  return response;
};

/** Charges chats more than the reference gateway, and does not report it. */
export const hidesChats: Wrap = (fetch) => {
  let hiddenUsd = 0;
  return async (input, init) => {
    const response = await fetch(input, init);
    const address = addressOf(input);
    if (address.endsWith('/v1/chat/completions')) {
      hiddenUsd += 0.005;
      response.headers.delete('x-svc-charge-usd');
    }
    if (!address.endsWith('/v1/account')) return response;
    const account = await response.json();
    const usd = account.balance.usd - hiddenUsd;
    return Response.json(
      { ...account, balance: { ...account.balance, usd } },
      { headers: response.headers },
    );
  };
};

/** Reports the charge of a submit again when it is replayed, without marking it as a replay. */
export const chargesReplays: Wrap = (fetch) => async (input, init) => {
  const response = await fetch(input, init);
  if (response.headers.has('x-svc-idempotent-replay') && addressOf(input).includes('image')) {
    response.headers.delete('x-svc-idempotent-replay');
    response.headers.set('x-svc-charge-usd', '0.005');
  }
  return response;
};

/** Lists prices that are lower than what is charged. */
export const underpriced =
  (type: string): Wrap =>
  (fetch) =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (!addressOf(input).endsWith('/v1/models') || response.status !== 200) return response;
    const list = await response.json();
    const data = list.data.map((model: { type: string }) =>
      model.type === type
        ? JSON.parse(JSON.stringify(model), (name, value) =>
            name.endsWith('Usd') ? value / 20 : value,
          )
        : model,
    );
    return Response.json({ ...list, data });
  };

/** Sets headers of responses to a route, or removes them: of the nth response, or of all. */
export const withHeaders = (
  route: string,
  changes: Record<string, string | null>,
  nth?: number,
): Wrap => {
  let count = 0;
  return (fetch) => async (input, init) => {
    const response = await fetch(input, init);
    if (`${init?.method} ${new URL(addressOf(input)).pathname}` !== route) return response;
    count += 1;
    if (nth !== undefined && nth !== count) return response;
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    }
    return new Response(response.body, { status: response.status, headers });
  };
};
