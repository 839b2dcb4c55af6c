import type { Catalog } from './declaration.ts';

/** The differences between the catalog of a file and that of the service, one line each. */
export function differences(before: Catalog, now: Catalog): string[] {
  const old = entriesOf(before);
  const current = entriesOf(now);
  return [
    ...[...old.keys()].filter((name) => !current.has(name)).map((name) => `- ${name}`),
    ...[...current].flatMap(([name, price]) => {
      const earlier = old.get(name);
      if (earlier === undefined) return `+ ${name}: ${price}`;
      return earlier === price ? [] : `~ ${name}: ${earlier} is now ${price}`;
    }),
  ];
}

/** The type and id of each model in the form of a literal, so that no id can forge a line, with its price. */
function entriesOf(catalog: Catalog): Map<string, string> {
  return new Map(
    [...catalog].flatMap(([type, models]) =>
      [...models].map(([id, { price, resolutions }]) => {
        const named = resolutions.map((resolution) => JSON.stringify(resolution)).join(', ');
        return [`${type} ${JSON.stringify(id)}`, named === '' ? price : `${price} (${named})`];
      }),
    ),
  );
}
