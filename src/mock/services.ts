import type { Ledger } from './account/ledger.ts';
import type { Slots } from './account/slots.ts';
import type { Users } from './account/users.ts';
import type { MockAssumptions } from './assumptions.ts';
import type { Replies } from './chat/replies.ts';
import type { Clock } from './clock.ts';
import type { EndpointDescription } from './http/endpoint-description.ts';
import type { Health } from './http/health.ts';
import type { MaterialStore } from './materials/store.ts';
import type { ModelCatalog } from './models/catalog.ts';
import type { Settings } from './options.ts';
import type { IdGenerator } from './random.ts';
import type { TaskStore } from './tasks/store.ts';

/** The state and settings of one gateway, which all its endpoints share. */
export interface Services {
  settings: Settings;
  assumptions: MockAssumptions;
  clock: Clock;
  makeId: IdGenerator;
  catalog: ModelCatalog;
  /** Scripted chat replies. */
  replies: Replies;
  users: Users;
  slots: Slots;
  health: Health;
  ledger: Ledger;
  tasks: TaskStore;
  materials: MaterialStore;
  /** Descriptions of all endpoints, for the OpenAPI document and the list of capabilities. */
  endpoints: readonly EndpointDescription[];
}
