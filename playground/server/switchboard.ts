import type { InjectedFault, MockGateway } from 'polygate/mock';

import type { FaultMode, FaultSwitch } from '../shared/lab.ts';
import { faultPlans } from './faults.ts';
import type { FaultPlan } from './faults.ts';

/** Every second request, for as long as anybody watches. */
const everySecond = Array.from({ length: 500 }, (_, index) => index * 2 + 1);

/** The switches that make the reference gateway misbehave. */
export class Switchboard {
  readonly #mock: MockGateway;
  readonly #on = new Map<string, { mode: FaultMode; faults: InjectedFault[] }>();

  constructor(mock: MockGateway) {
    this.#mock = mock;
  }

  /** Turns one switch; whether there is such a switch. */
  turn(id: string, mode: FaultMode): boolean {
    const plan = faultPlans.find((one) => one.id === id);
    if (plan === undefined) return false;
    this.#off(id);
    if (mode !== 'off') this.#on.set(id, { mode, faults: this.#inject(plan, mode) });
    return true;
  }

  /** Turns off what was to happen once, and has. Called after each request. */
  settle(): void {
    for (const [id, { mode, faults }] of this.#on) {
      if (mode === 'once' && fired(faults) > 0) this.#off(id);
    }
  }

  /** As the page shows them. */
  get switches(): FaultSwitch[] {
    return faultPlans.map(({ id, title, says }) => {
      const { mode = 'off', faults = [] } = this.#on.get(id) ?? {};
      return { id, title, says, mode, fired: fired(faults) };
    });
  }

  #inject(plan: FaultPlan, mode: FaultMode): InjectedFault[] {
    return plan.faults.map((fault) => {
      if (mode === 'once') return this.#mock.fail({ ...fault, times: 1 });
      return this.#mock.fail(mode === 'often' ? { ...fault, attempt: everySecond } : fault);
    });
  }

  #off(id: string): void {
    for (const fault of this.#on.get(id)?.faults ?? []) fault.remove();
    this.#on.delete(id);
  }
}

function fired(faults: readonly InjectedFault[]): number {
  return faults.reduce((sum, fault) => sum + fault.fired, 0);
}
