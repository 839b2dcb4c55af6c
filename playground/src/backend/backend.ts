import type { PolygateOptions } from 'polygate';

import type { LabState } from '../../shared/lab.ts';

/** What the page needs besides its own code: a gateway, and the lab that records and disturbs it. */
export interface Backend {
  /** Whether gateway and lab run in the page, and not on a server. */
  readonly isInPage: boolean;
  /** How the page's client reaches the gateway. */
  readonly client: Pick<
    PolygateOptions,
    'apiKey' | 'baseURL' | 'fetch' | 'dangerouslyAllowBrowser'
  >;
  /** Sends a request to a path of the lab or of the AI SDK's route. */
  readonly fetch: typeof globalThis.fetch;
  /** Calls a function whenever the state of the lab has changed; without a state if the connection is lost. */
  listen(listener: (state: LabState | undefined) => void): void;
  /** Loads a file of the gateway for an element of the page. Returns a URL that the element can load. */
  loadFile(url: string): string | Promise<string>;
  /** Ends an identity check in the page, where the link to it leads nowhere. */
  readonly finishIdentityCheck?: (url: string, outcome: 'succeeded' | 'failed') => Promise<void>;
  /** Where jobs are stored, so that they are as old as the gateway that has their tasks. */
  readonly storage: Storage;
}
