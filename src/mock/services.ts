import type { MockAssumptions } from './assumptions.ts';
import type { ModelCatalog } from './models/catalog.ts';
import type { Clock } from './clock.ts';
import type { Endpoint } from './http/endpoint.ts';
import type { MakeId } from './ids.ts';
import type { Health } from './http/health.ts';
import type { Ledger } from './account/ledger.ts';
import type { MaterialStore } from './materials/store.ts';
import type { Settings } from './options.ts';
import type { Slots } from './account/slots.ts';
import type { Tasks } from './tasks/tasks.ts';
import type { Users } from './account/users.ts';

/** Everything that endpoints work with. */
export interface Services {
  settings: Settings;
  assumptions: MockAssumptions;
  clock: Clock;
  id: MakeId;
  catalogue: ModelCatalog;
  users: Users;
  slots: Slots;
  health: Health;
  ledger: Ledger;
  tasks: Tasks;
  materials: MaterialStore;
  /** The table of all endpoints, from which the gateway describes itself. */
  endpoints: readonly Endpoint[];
}
