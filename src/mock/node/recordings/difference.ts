import { isRecord } from '../../../wire/types/type-guards.ts';
import { canonical } from './json.ts';
import type { RecordedRequest } from './tape-file.ts';

/** How much of a value a message shows. */
const maxShownLength = 80;

/** How much of it is before the first difference. */
const shownBefore = 30;

/** How many differences a message shows. */
const maxDifferences = 3;

/** Method and path of a request, for messages. */
export function nameOf({ method, path }: RecordedRequest): string {
  return `${method} ${path}`;
}

/** Describes the recorded request that is most like another one, and how they differ. */
export function describeNearest(
  request: RecordedRequest,
  recorded: readonly RecordedRequest[],
): string {
  const ranked = recorded
    .map((candidate, index) => ({
      candidate,
      index,
      differences: differencesOf(candidate, request),
    }))
    .toSorted((a, b) => distance(a, request) - distance(b, request));
  const [nearest] = ranked;
  if (nearest === undefined) return 'The tape is empty.';
  const listed = nearest.differences.slice(0, maxDifferences).join('; ');
  const more = nearest.differences.length - maxDifferences;
  return `The nearest recording is number ${nearest.index + 1}, ${nameOf(nearest.candidate)}. Differences: ${listed}${more > 0 ? `; and ${more} more` : ''}.`;
}

function distance(
  { candidate, differences }: { candidate: RecordedRequest; differences: readonly string[] },
  request: RecordedRequest,
): number {
  const isOtherRoute = candidate.method !== request.method || candidate.path !== request.path;
  return differences.length + (isOtherRoute ? 1_000 : 0);
}

function differencesOf(recorded: RecordedRequest, sent: RecordedRequest): string[] {
  return [...compare('', recorded, sent)];
}

function* compare(path: string, recorded: unknown, sent: unknown): Generator<string> {
  if (canonical(recorded) === canonical(sent)) return;
  const [onTape, inRequest] = [fieldsOf(recorded), fieldsOf(sent)];
  if (!onTape || !inRequest || Array.isArray(recorded) !== Array.isArray(sent)) {
    const [one, other] = [recorded, sent].map((value) => JSON.stringify(value) ?? 'nothing');
    yield `${path}: ${describePair(one ?? '', other ?? '')}`;
    return;
  }
  for (const name of new Set([...Object.keys(onTape), ...Object.keys(inRequest)])) {
    yield* compare(path === '' ? name : `${path}.${name}`, onTape[name], inRequest[name]);
  }
}

/** The fields of an object, or the items of an array by their index. */
function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  if (Array.isArray(value)) return Object.fromEntries(value.entries());
  return isRecord(value) ? value : undefined;
}

/** Two texts, from shortly before the first difference if one of them is long. */
function describePair(recorded: string, sent: string): string {
  let same = 0;
  while (same < recorded.length && recorded[same] === sent[same]) same += 1;
  const isShort = Math.max(recorded.length, sent.length) <= maxShownLength;
  const start = isShort ? 0 : Math.max(0, same - shownBefore);
  const shown = (text: string) => {
    const end = start + maxShownLength;
    return `${start > 0 ? '…' : ''}${text.slice(start, end)}${text.length > end ? '…' : ''}`;
  };
  const position = start > 0 ? `, which differ after ${same} characters` : '';
  return `${shown(recorded)} on the tape, ${shown(sent)} in the request${position}`;
}
