import { Ledger, paidOnceProblem } from './account/ledger.ts';
import { defaultTier, Slots, Users } from './account/users.ts';
import { Replies } from './chat/replies.ts';
import { systemClock, VirtualClock } from './clock.ts';
import type { MockGateway } from './gateway.ts';
import type { Services } from './http/endpoint.ts';
import { Faults } from './http/faults.ts';
import { Health, Recorder } from './http/recorder.ts';
import { GatewayServer } from './http/server.ts';
import { InFlight } from './in-flight.ts';
import { MaterialStore } from './materials/store.ts';
import { ModelCatalog } from './models.ts';
import { resolveOptions } from './options.ts';
import type { MockGatewayOptions } from './options.ts';
import { createIdGenerator, seededRandom } from './random.ts';
import { endpoints } from './routes/index.ts';
import { parseSnapshot, restoreSnapshot, takeSnapshot } from './snapshot.ts';
import { phaseOf, TaskStore } from './tasks/store.ts';

export type { MockAssumptions } from './options.ts';
export type { Clock, MockClock } from './clock.ts';
export type { Fault, FaultRequest, InjectedFault } from './http/faults.ts';
export type { InjectedReply, ScriptedReply, ScriptedToolCall } from './chat/replies.ts';
export type {
  KeyState,
  MockGateway,
  MockTask,
  ExchangeSummary,
  InvoiceLine,
  LostResponse,
  MockRequest,
} from './gateway.ts';
export type {
  MockGatewayOptions,
  MockKey,
  TaskOptions,
  TaskOutcome,
  TaskSubmit,
  MaterialOptions,
  MaterialOutcome,
} from './options.ts';

/** The origin that `mock.fetch` serves. */
const baseURL = 'https://mock.polygate.example';

/**
 * Creates an in-memory gateway that implements the specification.
 *
 * @throws `ConfigurationError` if an option, or a field of an object in the options, is unknown.
 *
 * @example
 * ```ts
 * const mock = createMockGateway({ clock: 'virtual', seed: 1 });
 * const response = await mock.fetch(`${mock.baseURL}/v1/status`);
 * ```
 */
export function createMockGateway(options: MockGatewayOptions = {}): MockGateway {
  const settings = resolveOptions(options);
  const { assumptions } = settings;
  const earlier = settings.snapshot && parseSnapshot(settings.snapshot);
  const inFlight = new InFlight();
  const clock =
    settings.clock === 'virtual' ? new VirtualClock(earlier?.now, inFlight) : systemClock();
  const users = new Users(settings.keys, settings.wallet.usd);
  const limitSource = settings.concurrencyLimit === undefined ? defaultTier.id : 'user_override';
  const slots = new Slots(settings.concurrencyLimit ?? defaultTier.concurrency, limitSource);
  const onChange = oncePerTurn(settings.onChange);
  const ledger = new Ledger(settings.history, onChange);
  const tasks = new TaskStore(ledger, assumptions, settings.history);
  const restarts = earlier === undefined ? 0 : earlier.restarts + 1;
  const services: Services = {
    settings,
    assumptions,
    clock,
    inFlight,
    // After a restart, the same ids must not be assigned again.
    makeId: createIdGenerator(seededRandom(`${settings.seed} ids${restarts || ''}`)),
    catalog: new ModelCatalog(settings.models),
    replies: new Replies(),
    users,
    slots,
    health: new Health(),
    ledger,
    tasks,
    materials: new MaterialStore(settings.materials, onChange),
    endpoints,
  };
  if (earlier !== undefined) restoreSnapshot(earlier, services);
  const faults = new Faults(seededRandom(`${settings.seed} faults`));
  const recorder = new Recorder(settings.history, settings.onResponse);
  const server = new GatewayServer(services, endpoints, faults, recorder);
  const sweep = (): void => {
    tasks.sweep(clock.now());
  };
  return {
    apiKey: users.first.key,
    baseURL,
    clock,
    fetch: (input, init) => server.fetch(input, init),
    get invoice() {
      sweep();
      return ledger.lines;
    },
    get requests() {
      return recorder.requests;
    },
    get peakInFlight() {
      return slots.peak;
    },
    get inFlight() {
      return slots.inFlight;
    },
    get wallet() {
      sweep();
      const { balanceUsd: usd, spentUsd } = users.first.user;
      return { usd, spentUsd };
    },
    get tasks() {
      return Array.from(tasks.all, (task) => ({
        id: task.id,
        kind: task.kind,
        model: task.model,
        prompt: task.prompt,
        status: phaseOf(task, clock.now()).status,
        user: task.user.name,
        chargeUsd: task.chargeUsd,
        idempotencyKey: task.idempotencyKey,
      }));
    },
    assertPaidOnce: (key) => {
      const problem = paidOnceProblem(ledger.lines, key);
      if (problem !== undefined) throw new Error(problem);
    },
    fail: (fault) => faults.add(fault),
    clearFaults: () => {
      faults.clear();
    },
    reply: (reply) => services.replies.add(reply),
    clearRecords: () => {
      recorder.requests.length = 0;
      ledger.lines.length = 0;
      slots.peak = slots.inFlight;
      onChange();
    },
    snapshot: () => takeSnapshot(services, restarts),
    setConcurrencyLimit: (limit) => {
      slots.limit = limit;
    },
    setBalance: (usd) => {
      users.setBalance(usd);
      onChange();
    },
    setKeyState: (key, state) => {
      users.setState(key, state);
      onChange();
    },
  };
}

/**
 * Returns a function that calls another one when the code that is running has ended, however often it is called. A
 * handler charges and then remembers the idempotency key; a snapshot between the two would be inconsistent.
 */
function oncePerTurn(callback: () => void): () => void {
  let scheduled = false;
  return () => {
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(() => {
      scheduled = false;
      callback();
    });
  };
}
