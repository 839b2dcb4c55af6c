import {
  errorEnvelopeRecord,
  keyBalanceErrorEnvelopeRecord,
} from '../../src/schemas/error-codes.ts';
import { errorDetail } from '../../src/mock/public/error-catalog.ts';
import type { MockGateway } from '../../src/mock/index.ts';
import { byRoute } from './mock-requests.ts';
import type { FuzzRequest } from './mock-requests.ts';

/** How a message of a refused request begins, unless it names a field in back quotes. */
const subject = /`[^`]*`|^The (body|header|content type)|^This Idempotency-Key/;

/** Sends requests to one gateway, and throws when an answer is not what every answer must be. */
export class Watcher {
  readonly #mock: MockGateway;
  readonly #fetch: typeof fetch;
  readonly #baseURL: string;
  /** Whether answers are in the documented form: no switch is set. */
  readonly #documented: boolean;
  readonly #ids: string[] = ['prism-image', 'lumen%2Fvision-chat', 'internal_error'];
  readonly #seen = new Set<number>();
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

  /** The whole answer as text. */
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
    this.#seen.add(status);
    must(/^[!-~]+$/.test(response.headers.get('x-request-id') ?? ''), 'no request id');
    if (status >= 400 && method !== 'HEAD') refused(status, text, route.endsWith('/balance'));
    if (status < 400 && method !== 'HEAD') this.#answered(request, status, text);
    this.#money(response);
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

  #answered({ route, method }: FuzzRequest, status: number, text: string): void {
    if (text.startsWith('{')) this.#remember(JSON.parse(text));
    if (text.startsWith(': keep-alive')) {
      must(text.endsWith('data: [DONE]\n\n'), `a stream without an end: ${text}`);
      return;
    }
    const endpoint = byRoute.get(route);
    const native = route === 'GET /v1/models';
    if (!this.#documented || native || method !== endpoint?.method || endpoint.hidden) return;
    const { reply, status: usual = 200, otherStatuses = [] } = endpoint;
    must([usual, ...otherStatuses].includes(status), `${route} answered ${status}`);
    const issues = reply?.safeParse(JSON.parse(text)).error?.issues;
    must(issues === undefined, `${route} answered ${text}: ${JSON.stringify(issues)}`);
  }

  /** Ids and tokens, so that later requests find what earlier ones made. */
  #remember({ id, verification_url: link }: { id?: string; verification_url?: string }): void {
    for (const found of [id, link?.split('/').at(-1)]) {
      if (found) this.#ids.push(encodeURIComponent(found));
    }
    if (this.#ids.length > 40) this.#ids.splice(3, 1);
  }

  #money({ headers }: Response): void {
    const { usd } = this.#mock.wallet;
    must(usd <= this.#walletUsd, `the wallet moved up from ${this.#walletUsd} to ${usd}`);
    this.#walletUsd = usd;
    const charge = Number(headers.get('x-svc-charge-usd') ?? 0);
    must(charge >= 0 && charge < Infinity, `the charge is ${charge}`);
    if (headers.get('x-svc-idempotent-replay') !== 'true') this.#chargedUsd += charge;
    must(this.#mock.inFlight === 0, 'a slot is still held');
  }

  /** The invoice is what answers charged, and what is missing from the wallets of these keys. */
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
    // Requests that are all turned away at the door would find nothing.
    const missing = [200, 202, 400, 401, 403, 404, 405].filter((code) => !this.#seen.has(code));
    must(missing.length === 0, `no answer was ${missing.join(', ')}`);
  }
}

/** The documented envelope: a known code, and a message that says what is wrong with what. */
function refused(status: number, text: string, balance: boolean): void {
  const told = `${status} ${text}`;
  must(status !== 500, told);
  const envelope = balance ? keyBalanceErrorEnvelopeRecord : errorEnvelopeRecord;
  const answer = JSON.parse(text);
  must(envelope.safeParse(answer).success, told);
  if (balance) return;
  must(errorDetail(answer.error.code) !== undefined, `not in the catalog: ${told}`);
  must(status !== 400 || subject.test(answer.error.message), `names nothing: ${told}`);
}

function equal(one: number, other: number, what: string): void {
  must(Math.abs(one - other) < 1e-6, `${what} is ${one}, not ${other}`);
}

function must(fine: boolean, otherwise: string): void {
  if (!fine) throw new Error(otherwise.slice(0, 2000));
}
