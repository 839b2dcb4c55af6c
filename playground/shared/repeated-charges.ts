import type { InvoiceLine } from './lab.ts';

/** Which charges of an invoice pay for the same call again, in a few words; undefined if none does. */
export function describeRepeatedCharges(charges: readonly InvoiceLine[]): string | undefined {
  const keyed = countRepeated(charges.map(({ key, route }) => key && `${route} ${key}`));
  // A chat that is sent again has the request id of the first try.
  const chats = countRepeated(charges.map(({ key, requestId }) => key === undefined && requestId));
  const items = [
    keyed.count > 0 && `${keyed.count} paid ${keyed.times}`,
    chats.count > 0 &&
      `${chats.count} ${chats.count === 1 ? 'chat' : 'chats'} paid ${chats.times}: chats have no key`,
  ];
  return items.filter(Boolean).join(', ') || undefined;
}

/** How many ids occur more than once, and how often. */
function countRepeated(ids: readonly (string | false | undefined)[]) {
  const counts = new Map<string, number>();
  for (const id of ids) if (id) counts.set(id, (counts.get(id) ?? 0) + 1);
  const repeated = [...counts.values()].filter((count) => count > 1);
  return {
    count: repeated.length,
    times: repeated.every((count) => count === 2) ? 'twice' : 'more than once',
  };
}
