import { createProxyHandler } from '../../dist/proxy/index.js';
import type { ProxyOptions } from '../../dist/proxy/index.js';
import { key, messages } from './client.ts';
import type { Client, Completion } from './client.ts';

const limits = { usd: 1e6, requests: 1e9, concurrent: 1_000 };
const users = 100;

/** A client that sends each chat through a proxy in its own process, as one of 100 users. */
export const forwardingClient = (options: Partial<ProxyOptions>): Client => ({
  request: (base) => {
    const handler = createProxyHandler({
      apiKey: key,
      baseURL: `${base}/json`,
      authorize: ({ headers }) => headers.get('x-user'),
      ...options,
    });
    let sent = 0;
    return async () => {
      sent += 1;
      const request = new Request('https://app.example/api/gateway/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-user': `user-${sent % users}` },
        body: JSON.stringify({ model: 'bench', messages }),
      });
      const response = await handler(request);
      const completion: Completion = JSON.parse(await response.text());
      return completion.choices[0]!.message.content;
    };
  },
});

/** The same with limits, in this store. */
export const limitedClient = (store?: ProxyOptions['store']): Client =>
  forwardingClient({ limits, store });
