import type { MockAssumptions } from './assumptions.ts';
import type { Catalogue } from './catalogue.ts';
import type { Clock } from './clock.ts';
import type { Endpoint } from './endpoint.ts';
import type { MakeId } from './ids.ts';
import type { Health } from './health.ts';
import type { Ledger } from './ledger.ts';
import type { Materials } from './materials.ts';
import type { Settings } from './options.ts';
import type { Slots } from './slots.ts';
import type { Tasks } from './tasks.ts';
import type { Users } from './users.ts';

/** Everything that endpoints work with. */
export interface Services {
  settings: Settings;
  assumptions: MockAssumptions;
  clock: Clock;
  id: MakeId;
  catalogue: Catalogue;
  users: Users;
  slots: Slots;
  health: Health;
  ledger: Ledger;
  tasks: Tasks;
  materials: Materials;
  /** The table of all endpoints, from which the gateway describes itself. */
  endpoints: readonly Endpoint[];
}
