import type { Fault, FaultRequest, InjectedFault, MockGateway } from 'polygate/mock';

import type { FaultMode, FaultSwitch } from '../shared/lab.ts';
import { faultPlans } from './faults.ts';
import type { FaultPlan } from './faults.ts';

/** Injects faults into the reference gateway as the switches of the control room are set. */
export class Switchboard {
  readonly #mock: MockGateway;
  readonly #active = new Map<string, { mode: FaultMode; faults: InjectedFault[] }>();

  constructor(mock: MockGateway) {
    this.#mock = mock;
  }

  /** Sets one switch. Returns false if there is no switch with this id. */
  set(id: string, mode: FaultMode): boolean {
    const plan = faultPlans.find((candidate) => candidate.id === id);
    if (plan === undefined) return false;
    this.#turnOff(id);
    if (mode !== 'off') this.#active.set(id, { mode, faults: this.#inject(plan, mode) });
    return true;
  }

  /** Turns off the switches in mode `once` whose fault has occurred. Called after each request. */
  resetTriggered(): void {
    for (const [id, { mode, faults }] of this.#active) {
      if (mode === 'once' && countFired(faults) > 0) this.#turnOff(id);
    }
  }

  /** The state of all switches. */
  get switches(): FaultSwitch[] {
    return faultPlans.map(({ id, title, description }) => {
      const { mode = 'off', faults = [] } = this.#active.get(id) ?? {};
      return { id, title, description, mode, fired: countFired(faults) };
    });
  }

  #inject(plan: FaultPlan, mode: FaultMode): InjectedFault[] {
    return plan.faults.map((fault) => {
      if (mode === 'once') return this.#mock.fail({ ...fault, times: 1 });
      return this.#mock.fail(mode === 'often' ? { ...fault, when: everySecond() } : fault);
    });
  }

  #turnOff(id: string): void {
    for (const fault of this.#active.get(id)?.faults ?? []) fault.remove();
    this.#active.delete(id);
  }
}

/** Matches the first, third, fifth … attempt of each call, so that what one call meets does not depend on others. */
function everySecond(): NonNullable<Fault['when']> {
  const counts = new Map<string, number>();
  return (request) => {
    const call = callOf(request);
    const count = (counts.get(call) ?? 0) + 1;
    counts.set(call, count);
    return count % 2 === 1;
  };
}

/** Attempts of one call have the same key or request id; the polls of a task have the same path. */
function callOf({ method, path, headers }: FaultRequest): string {
  const key = headers['x-idempotency-key'] ?? headers['idempotency-key'];
  const id = method === 'GET' ? undefined : (key ?? headers['x-request-id']);
  return `${method} ${path} ${id ?? ''}`;
}

function countFired(faults: readonly InjectedFault[]): number {
  return faults.reduce((sum, fault) => sum + fault.affectedRequests, 0);
}
