import { useState } from 'react';

import { warn } from './store/stored-value.ts';

/**
 * The client of a component. React repeats a render at once whose state was set during it: in the repetition, a client
 * that was replaced is the same, and one that the render creates is another one again. A hook that loads data for each of
 * those would never end, so the first client is returned from then on.
 */
export function useClient<Client>(given: Client): Client {
  const [[client, next, isUnstable], set] = useState<
    readonly [client: Client, next?: Client, isUnstable?: boolean]
  >([given]);
  if (given !== client && !isUnstable) {
    const isNew = next !== undefined && next !== given;
    if (isNew) warn('a client is new on each render. Create it outside of components.');
    set(next === given ? [given] : [client, given, isNew]);
  }
  return client;
}
