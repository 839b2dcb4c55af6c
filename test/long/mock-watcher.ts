import { errorDetail } from '../../src/mock/http/errors.ts';
import type { MockGateway } from '../../src/mock/index.ts';
import * as shapes from '../../src/wire/generated/index.ts';
import { byRoute } from './mock-requests.ts';
import type { FuzzRequest } from './mock-requests.ts';

/** Matches error messages that name what is wrong: a field in backticks, or a part of the request. */
const subject = /`[^`]*`|^The (body|[\w-]+ header|content type)|^This Idempotency-Key/;

/** Sends requests to a gateway and throws if a response violates the rules for all responses. */
export class Watcher {
  readonly #mock: MockGateway;
  readonly #fetch: typeof fetch;
  readonly #baseURL: string;
  /** Whether responses have the documented shape, because all assumptions have their defaults. */
  readonly #documented: boolean;
  readonly #ids: string[] = ['prism-image', 'lumen%2Fvision-chat', 'internal_error'];
  readonly #statuses = new Set<number>();
  readonly #startUsd: number;
  #walletUsd: number;
  #chargedUsd = 0;

  constructor(mock: MockGateway, send: typeof fetch, baseURL: string, documented: boolean) {
    this.#mock = mock;
    this.#fetch = send;
    this.#baseURL = baseURL;
    this.#documented = documented;
    this.#startUsd = mock.wallet.usd;
    this.#walletUsd = mock.wallet.usd;
  }

  /** Sends a request, checks the response and returns it as text. */
  async send(request: FuzzRequest): Promise<string> {
    const { route, method, headers, body } = request;
    const response = await this.#fetch(this.#baseURL + this.#path(request), {
      method,
      headers,
      redirect: 'manual',
      ...(method === 'GET' || method === 'HEAD' || body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const { status } = response;
    this.#statuses.add(status);
    must(/^[!-~]+$/.test(response.headers.get('x-request-id') ?? ''), 'no request id');
    if (status >= 400 && method !== 'HEAD') checkError(status, text, route.endsWith('/balance'));
    if (status < 400 && method !== 'HEAD') this.#checkSuccess(request, status, text);
    this.#checkMoney(response);
    return JSON.stringify([status, [...response.headers], text]);
  }

  #path({ route, ids, query }: FuzzRequest): string {
    let index = 0;
    const path = route.replace(/^\w+ /, '').replaceAll(/\{\w+\}/g, () => {
      const choice = ids[index] ?? 0;
      index += 1;
      if (typeof choice === 'string') return choice;
      return this.#ids[choice % this.#ids.length] ?? '';
    });
    return path + query;
  }

  #checkSuccess({ route, method }: FuzzRequest, status: number, text: string): void {
    if (text.startsWith('{')) this.#remember(JSON.parse(text));
    if (text.startsWith(': keep-alive')) {
      must(text.endsWith('data: [DONE]\n\n'), `a stream without [DONE]: ${text}`);
      return;
    }
    const endpoint = byRoute.get(route);
    const native = route === 'GET /v1/models';
    if (!this.#documented || native || method !== endpoint?.method || endpoint.hidden) return;
    const { responseSchema, responses = {} } = endpoint;
    must(status in responses, `${route} returned ${status}`);
    const issues = responseSchema?.safeParse(JSON.parse(text)).error?.issues;
    must(issues === undefined, `${route} returned ${text}: ${JSON.stringify(issues)}`);
  }

  /** Collects ids and tokens, so that later requests can refer to existing records. */
  #remember({ id, verification_url: link }: { id?: string; verification_url?: string }): void {
    for (const found of [id, link?.split('/').at(-1)]) {
      if (found) this.#ids.push(encodeURIComponent(found));
    }
    if (this.#ids.length > 40) this.#ids.splice(3, 1);
  }

  #checkMoney({ headers }: Response): void {
    const { usd } = this.#mock.wallet;
    must(usd <= this.#walletUsd, `the balance rose from ${this.#walletUsd} to ${usd}`);
    this.#walletUsd = usd;
    const charge = Number(headers.get('x-svc-charge-usd') ?? 0);
    must(charge >= 0 && charge < Infinity, `the charge is ${charge}`);
    if (headers.get('x-svc-idempotent-replay') !== 'true') this.#chargedUsd += charge;
    must(this.#mock.inFlight === 0, 'a slot is still held');
  }

  /** Compares the invoice with the charge headers and with the balances of these keys' users. */
  async settle(keys: Readonly<Record<string, string>>): Promise<void> {
    const total = (user?: string) =>
      this.#mock.invoice
        .filter((line) => user === undefined || line.user === user)
        .reduce((sum, line) => sum + line.usd, 0);
    equal(total(), this.#chargedUsd, 'the invoice');
    for (const [key, user] of Object.entries(keys)) {
      const headers = { authorization: `Bearer ${key}` };
      const response = await this.#fetch(`${this.#baseURL}/v1/account`, { headers });
      const { balance } = await response.json();
      equal(balance.usd, this.#startUsd - total(user), `the wallet of ${user}`);
    }
    // If all requests were rejected early, the run would prove nothing.
    const missing = [200, 202, 400, 401, 403, 404, 405].filter((code) => !this.#statuses.has(code));
    must(missing.length === 0, `no response had the status ${missing.join(', ')}`);
  }
}

/** Checks for the documented envelope, a known code and a message that names what is wrong. */
function checkError(status: number, text: string, balance: boolean): void {
  const summary = `${status} ${text}`;
  must(status !== 500, summary);
  const envelope = balance ? shapes.keyBalanceErrorEnvelope : shapes.errorEnvelope;
  const parsed = JSON.parse(text);
  must(envelope.safeParse(parsed).success, summary);
  if (balance) return;
  must(errorDetail(parsed.error.code) !== undefined, `not in the catalog: ${summary}`);
  must(status !== 400 || subject.test(parsed.error.message), `names nothing: ${summary}`);
}

function equal(actual: number, expected: number, name: string): void {
  must(Math.abs(actual - expected) < 1e-6, `${name} is ${actual}, not ${expected}`);
}

function must(condition: boolean, message: string): void {
  if (!condition) throw new Error(message.slice(0, 2000));
}
