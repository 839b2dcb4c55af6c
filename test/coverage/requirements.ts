import * as specification from './specification.ts';

/** The rows of the specification by section. Each row needs a test that covers it. */
export const requirements: ReadonlyMap<string, readonly string[]> = new Map([
  ['Endpoints', Object.keys(specification.endpoints)],
  [
    'Statuses',
    Object.entries(specification.endpoints).flatMap(([route, statuses]) =>
      statuses.map((status) => `${route} ${status}`),
    ),
  ],
  ...Object.entries({ ...specification.records, ...specification.requests }).map(
    ([section, fields]): [string, string[]] => [section, fields.map(({ name }) => name)],
  ),
  ...Object.entries(specification.headers),
  ...Object.entries(specification.states),
  ['Codes', specification.codes],
  ['Messages of the key balance', specification.balanceMessages],
  ['Limits', specification.limits],
  ['Rules', specification.rules],
]);
