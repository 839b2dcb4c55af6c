import type { InjectedFault, MockGateway } from 'polygate/mock';

import type { FaultMode, FaultSwitch } from '../shared/lab.ts';
import { faultPlans } from './faults.ts';
import type { FaultPlan } from './faults.ts';

/** Numbers of the attempts that fail in mode `often`: every second one, for far longer than a demo lasts. */
const everySecond = Array.from({ length: 500 }, (_, index) => index * 2 + 1);

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
      return this.#mock.fail(mode === 'often' ? { ...fault, attempt: everySecond } : fault);
    });
  }

  #turnOff(id: string): void {
    for (const fault of this.#active.get(id)?.faults ?? []) fault.remove();
    this.#active.delete(id);
  }
}

function countFired(faults: readonly InjectedFault[]): number {
  return faults.reduce((sum, fault) => sum + fault.affectedRequests, 0);
}
