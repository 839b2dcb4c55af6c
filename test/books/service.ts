import { fateOf, invalid } from './fates.ts';
import type { Execution, Fate } from './fates.ts';
import { excusedOf } from './lines.ts';
import type { Line } from './lines.ts';
import { orderOf, orderText, sumOf, textOf } from './orders.ts';
import type { Order, Settings } from './orders.ts';

/** What can be known about the price of a request, in USD. */
export interface Prices {
  /** By the price list; undefined if it has none. */
  readonly listed: number | undefined;
  /** By what its model was charged so far; 0 before the first charge. */
  readonly learned: number;
  /** The largest charge so far, of any request; undefined before the first one. */
  readonly largest: number | undefined;
}

/** The book that sends requests. */
export interface Sender {
  /** What its rules reserve for a request; undefined if that is unlimited. */
  expects(prices: Prices): number | undefined;
  /** Whether it checks its limit right before it sends a request, so that it knows all charges by then. */
  readonly checksLate: boolean;
}

/** A paid service for one book, which does with each request what the scenario says. */
export class Service {
  readonly baseURL = 'https://gateway.example';
  readonly lines: Line[] = [];
  /** What the limit does not include any longer, because its window has ended. */
  readonly #ended = new Set<Line>();
  /** Paid requests that have arrived, as the orders that they came from. */
  readonly arrived: Order[] = [];
  /** The limit of the book in USD. */
  limitUsd = Infinity;
  /** What the book must not have sent. */
  readonly violations: string[] = [];
  readonly #settings: Settings;
  readonly #sender: Sender;
  readonly #tasks = new Map<string, { line: Line; taskId: string }>();
  #orders: Order[] = [];
  /** The charges that were reported before the orders were announced, and since. */
  #reportedBefore: ReadonlySet<Line> = new Set();
  readonly #reportedNow = new Set<Line>();
  /**
   * The charges that a request for the same has got, and those before the orders were announced. A replay for another model or
   * another number of images does not show for which one of the requests with its key the charge was.
   */
  readonly #shown = new Set<Line>();
  #shownBefore: ReadonlySet<Line> = new Set();
  readonly #held: (() => void)[] = [];
  #lastTask = 0;
  #firstLearned = 0;
  #hasResponded = false;
  /** Keys of requests that were lost before they were charged. A batch and a queue send them again, also at the limit. */
  readonly #lostKeys = new Set<string>();

  constructor(settings: Settings, sender: Sender) {
    this.#settings = settings;
    this.#sender = sender;
  }

  /** Announces the orders of a step. */
  announce(orders: readonly Order[]): void {
    this.#orders = [...orders];
    this.#reportedNow.clear();
    this.#reportedBefore = new Set(this.lines.filter(({ reported }) => reported !== 'no'));
    this.#shownBefore = new Set(this.#shown);
  }

  /** Forgets which keys were charged. */
  forgetKeys(): void {
    this.#tasks.clear();
  }

  /** The limit starts anew, except for requests in flight. */
  endWindow(): void {
    const before = this.current;
    // A replay that was counted may be that of any request in flight, so no book knows that both were charged.
    const isCounted = ({ key, isResolved }: Line) =>
      isResolved && !before.some((other) => other.key === key && other.reported === 'directly');
    for (const line of before) if (!line.isInFlight || isCounted(line)) this.#ended.add(line);
    // The charge of another request has ended the reservation that both had.
    for (const line of this.current) {
      const isShared = ({ key, excuse }: Line) => key === line.key && excuse === 'shared';
      if (before.some((other) => this.#ended.has(other) && isShared(other))) line.excuse = 'shared';
    }
  }

  /** The book does not know any longer what its models were charged. */
  forgetPrices(): void {
    this.#firstLearned = this.lines.length;
  }

  /** Lets the oldest held responses go. */
  release(count: number): void {
    for (const resolve of this.#held.splice(0, count)) resolve();
  }

  /** How many responses are held. */
  get held(): number {
    return this.#held.length;
  }

  get excused(): readonly Line[] {
    return excusedOf(this.current);
  }

  /** What counts against the limit now. */
  get current(): readonly Line[] {
    return this.lines.filter((line) => !this.#ended.has(line));
  }

  #listedUsd(model: string): number | undefined {
    const { unitUsd, lowUsd } = this.#settings;
    return new Map([
      ['right', unitUsd],
      ['low', lowUsd],
      ['free', 0],
    ]).get(model);
  }

  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    if (request.method === 'GET') return this.#lookUp(pathname);
    const { prompt, n, num_images: count = n, model, messages } = await request.json();
    const text = textOf(prompt ?? messages?.[0]?.content, count ?? 1, model);
    const index = this.#orders.findIndex((order) => orderText(order) === text);
    const [order] = index < 0 ? [] : this.#orders.splice(index, 1);
    // A request that no step has ordered, such as a row that continues by itself.
    const found = order ?? { ...orderOf(text), fate: 'accepted', isHeld: false };
    return this.#handle(found, request.headers.get('x-idempotency-key') ?? undefined);
  };

  #lookUp(path: string): Response {
    const [, name] = /^\/v1\/models\/(\w+)$/.exec(path) ?? [];
    const models = ['right', 'low', 'free', 'unlisted'].map((id) => this.#modelOf(id));
    if (path === '/v1/models') return Response.json({ object: 'list', data: models });
    if (name !== undefined) return Response.json(this.#modelOf(name));
    const [, id] = /^\/v1\/images\/\w+\/(\w+)$/.exec(path) ?? [];
    if (id === undefined) return new Response(null, { status: 404 });
    return Response.json({ id, status: 'completed', data: [{ url: 'https://files.example/a' }] });
  }

  #modelOf(id: string) {
    const unitPriceUsd = this.#listedUsd(id);
    const pricing = { unitPriceUsd, profiles: { api: { billingUnit: 'image', unitPriceUsd } } };
    return { id, object: 'model', type: 'image', ...(unitPriceUsd !== undefined && { pricing }) };
  }

  async #handle(order: Order, key: string | undefined): Promise<Response> {
    this.arrived.push(order);
    const isInvalid = order.key === 'bad' && fateOf(order.fate).isHandled;
    const fate = fateOf(isInvalid ? invalid : order.fate);
    const outcome = fate.isHandled ? this.#execute(order, key) : undefined;
    if (order.fate.endsWith(' before') && key !== undefined) this.#lostKeys.add(key);
    if (order.isHeld) await new Promise<void>((resolve) => this.#held.push(resolve));
    this.#hasResponded = true;
    if (outcome !== undefined && outcome !== 'conflict') outcome.line.isInFlight = false;
    if (outcome !== undefined) void this.#deliverSoon(outcome, order, fate);
    if (outcome === 'conflict') {
      const error = { message: 'Another body', code: 'conflict' };
      return Response.json({ error }, { status: 409 });
    }
    return fate.respond(outcome ?? nothing);
  }

  #execute(order: Order, key: string | undefined): Executed | 'conflict' {
    const { ignoresKeys, isPaidElsewhere, replays, otherBody } = this.#settings;
    const text = orderText(order);
    const known = key === undefined || ignoresKeys ? undefined : this.#tasks.get(key);
    const isElsewhere = known === undefined && key !== undefined && isPaidElsewhere;
    const task = isElsewhere ? this.#addTask(this.#lineOf(order, key)) : known;
    if (task !== undefined) {
      const { line, taskId } = task;
      if (line.text !== text && otherBody === 'conflict') return 'conflict';
      line.texts.add(text);
      const shownUsd = { charge: line.usd, zero: 0, nothing: undefined }[replays];
      return { line, taskId, shownUsd, isReplay: true };
    }
    const line = this.#lineOf(order, key);
    this.#checkSent(line);
    this.lines.push(line);
    const { taskId } = this.#addTask(line);
    return { line, taskId, shownUsd: line.usd, isReplay: false };
  }

  #addTask(line: Line) {
    this.#lastTask += 1;
    const task = { line, taskId: `task_${this.#lastTask}` };
    if (line.key !== undefined) this.#tasks.set(line.key, task);
    return task;
  }

  #lineOf(order: Order, key: string | undefined): Line {
    const text = orderText(order);
    return {
      usd: sumOf([this.#settings.unitUsd * order.units]),
      key,
      text,
      texts: new Set([text]),
      model: order.model,
      units: order.units,
      expectedUsd: this.#sender.expects(this.#pricesOf(order)),
      excuse: this.#excuseOf(key, text),
      reported: 'no',
      hasResult: false,
      isResolved: this.#mayBeEarlier(key),
      isInFlight: true,
    };
  }

  /** Whether the book knows a charge when it sends a request. */
  #isKnown(line: Line): boolean {
    return this.#sender.checksLate ? line.reported !== 'no' : this.#reportedBefore.has(line);
  }

  /** Whether the book may have checked a request before it knew a charge of its key. */
  #mayBeEarlier(key: string | undefined): boolean {
    if (this.#sender.checksLate || key === undefined) return false;
    return this.lines.some((line) => line.key === key && this.#reportedNow.has(line));
  }

  #pricesOf({ model, units }: Order): Prices {
    const listed = this.#listedUsd(model);
    const reported = this.lines.filter((line) => this.#isKnown(line));
    const shown = this.#sender.checksLate ? this.#shown : this.#shownBefore;
    const isLearned = Array.from(shown).some(
      (line) => line.model === model && this.lines.indexOf(line) >= this.#firstLearned,
    );
    return {
      listed: listed === undefined ? undefined : sumOf([listed * units]),
      learned: isLearned ? sumOf([this.#settings.unitUsd * units]) : 0,
      largest: reported.length > 0 ? Math.max(...reported.map(({ usd }) => usd)) : undefined,
    };
  }

  #excuseOf(key: string | undefined, text: string): Line['excuse'] {
    const earlier = this.current.filter((line) => key !== undefined && line.key === key);
    if (earlier.length === 0) return this.#lostKeys.has(key ?? '') ? 'shared' : 'none';
    // Of two requests of a free key that are in flight, the second one is free, too.
    const isOpen = ({ reported, isResolved, excuse }: Line) =>
      reported === 'no' && !isResolved && excuse !== 'free';
    if (earlier.some(isOpen)) return 'shared';
    // Every book knows that a key which was charged twice is free no longer.
    const isBroken = earlier.filter(({ reported }) => reported === 'directly').length > 1;
    return !isBroken && earlier.some(({ texts }) => texts.has(text)) ? 'free' : 'none';
  }

  /** Notes a request that the limit did not cover with what was known when it arrived. */
  #checkSent(line: Line): void {
    if (line.excuse !== 'none') return;
    const isUnknown = ({ expectedUsd, isInFlight }: Line) =>
      isInFlight && expectedUsd === undefined;
    if (!this.#hasResponded && isUnknown(line) && this.lines.some(isUnknown)) {
      this.violations.push(`${line.text} was sent before the first response showed a price`);
    }
    const known = sumOf(this.current.filter((each) => this.#isKnown(each)).map(({ usd }) => usd));
    // A charge of a key that seemed to be free can be reported by a replay, which the book takes for that of the first one.
    const excused = sumOf(this.excused.map(({ usd }) => usd));
    const expected = line.expectedUsd ?? 0;
    const isUsedUp = known - excused >= this.limitUsd - 1e-9;
    if (isUsedUp || known + expected - excused > this.limitUsd + 1e-9) {
      this.violations.push(
        `${line.text} was sent for ${expected} USD although ${known} of ${this.limitUsd} USD were reported as charged`,
      );
    }
  }

  /** Of two responses that arrive at the same time, a book reads one first, and may send a request before the other. */
  async #deliverSoon(
    outcome: Executed | 'conflict',
    { model, units }: Order,
    { isReported, hasResult = false }: Fate,
  ): Promise<void> {
    if (outcome === 'conflict') return;
    for (let step = 0; step < 20; step += 1) await Promise.resolve();
    const { line, isReplay, shownUsd = 0 } = outcome;
    line.hasResult ||= hasResult && !isReplay;
    const ofKey = this.lines.filter(({ key }) => key !== undefined && key === line.key);
    if (!isReported || shownUsd === 0) {
      // It says that the service remembers the key, and nothing about what the first request has cost.
      if (isReplay) for (const each of ofKey.slice(1)) each.isResolved = true;
      return;
    }
    if (!isReplay) line.reported = 'directly';
    else if (line.reported === 'no') line.reported = 'by a replay';
    for (const each of ofKey) each.isResolved = true;
    this.#reportedNow.add(line);
    if (line.model === model && line.units === units) this.#shown.add(line);
  }
}

interface Executed extends Execution {
  readonly line: Line;
}

const nothing: Execution = { taskId: '', shownUsd: undefined, isReplay: false };
