import { isEventStream, waitAtMost } from '../../../internal.ts';
import { parseRecord } from '../body/fields.ts';
import { fieldsOf, itemsOf } from '../body/json-fields.ts';
import { ProxyError } from '../error-response.ts';
import { sha256 } from '../headers.ts';
import type { Route, Target } from '../routes.ts';
import type { Settings } from '../settings.ts';
import { persist, withinTime } from '../store/store.ts';
import { canonical, wellFormed } from './readings.ts';
import { referenceOf, referencesIn, resourcesIn, taskFields } from './references.ts';
import type { Reference } from './references.ts';

type StoreSettings = Pick<Settings, 'store' | 'report' | 'unowned' | 'onStoreError'>;

/** How much of a response is read to find the ids in it. */
const maxResponseLength = 4_194_304;

/** How many owners are looked up in one operation, so that a store can serve other users in between. */
const namesPerLookup = 1_000;

/** Longer names are stored as their hash. */
const maxNameLength = 512;

/** The placeholders that name a kind of resource. Any other may name a resource, too. */
const kinds: Readonly<Record<string, string>> = {
  taskId: 'task',
  task_id: 'task',
  materialId: 'material',
  material_id: 'material',
  voiceId: 'voice',
  voice_id: 'voice',
};

/**
 * Rejects a request whose path or query names a resource of another user, and a path that names a task, material or voice
 * without an owner. Returns whether the path names a resource that the user owns.
 *
 * @throws a 404, or a 503 if the store fails.
 */
export async function checkPath(
  user: string,
  { values, search }: Target,
  settings: StoreSettings,
): Promise<boolean> {
  let isOwner = false;
  const query = [...new URLSearchParams(search).values()].map((text) => ['', text] as const);
  for (const [name, text] of [...Object.entries(values), ...query]) {
    const reference = referenceOf({ text, field: '' });
    const ownerOf = await lookUp(reference.names, settings);
    const isOwn = ownerOf(text) === user;
    isOwner ||= isOwn;
    const kind = kinds[name];
    const isUnowned = kind !== undefined && ownerOf(text) === undefined;
    const isRefused = isUnowned && settings.unowned !== 'allow';
    if (isOwn || (!isRefused && !namesOther(user, reference, ownerOf))) continue;
    // The same for both, so that no user learns which resources of others exist.
    const what = kind ?? 'resource';
    throw new ProxyError(
      404,
      `${what}_not_found`,
      `This proxy does not know the owner of this ${what}, or it belongs to another user. If it was paid for, it may still exist.`,
    );
  }
  return isOwner;
}

/**
 * Rejects a body that refers to a resource of another user, or to a material without an owner.
 *
 * @throws a 404, a 400 if there are too many references, or a 503 if the store fails.
 */
export async function checkBody(
  user: string,
  json: string,
  settings: StoreSettings,
): Promise<void> {
  const references = referencesIn(json);
  let ownerOf: OwnerOf;
  try {
    const names = new Set(references.flatMap((reference) => [...reference.names]));
    ownerOf = await lookUp(names, settings);
  } catch (error) {
    // Without a reference for certain, the failure of the store is like that of limits.
    const isCertain = references.some((reference) => reference.isCertain);
    if (!isCertain && settings.onStoreError === 'allow') return;
    throw error;
  }
  if (references.every((reference) => mayName(user, reference, ownerOf, settings))) return;
  throw new ProxyError(
    404,
    'resource_not_found',
    'The body refers to a task, material or voice that belongs to another user, or whose owner this proxy does not know. Nothing was sent.',
  );
}

type OwnerOf = (name: string) => string | undefined;

const namesOther = (user: string, { names }: Reference, ownerOf: OwnerOf): boolean =>
  Array.from(names, ownerOf).some((owner) => owner !== undefined && owner !== user);

/** Whether a user may see a reference, or send it. */
function mayName(
  user: string,
  reference: Reference,
  ownerOf: OwnerOf,
  { unowned }: StoreSettings,
): boolean {
  // A service that rounds a number may read the id of another user instead of this one.
  if (ownerOf(reference.text) === user && !reference.mayBeRounded) return true;
  const isUnowned = [...reference.assets].some(
    (uri) => ownerOf(uri) !== user && ownerOf(uri.slice('asset://'.length)) !== user,
  );
  return (!isUnowned || unowned === 'allow') && !namesOther(user, reference, ownerOf);
}

async function lookUp(
  names: ReadonlySet<string>,
  { store, report }: StoreSettings,
): Promise<OwnerOf> {
  const all = [...names];
  const owners = new Map<string, string | undefined>();
  try {
    for (let start = 0; start < all.length; start += namesPerLookup) {
      const some = all.slice(start, start + namesPerLookup);
      const stored = await Promise.all(some.map(storedName));
      const found = await withinTime(() => store.ownersOf(stored));
      for (const [index, name] of some.entries()) owners.set(name, found[index]);
    }
  } catch (error) {
    report(error);
    throw new ProxyError(
      503,
      'store_unavailable',
      'The owner of a resource cannot be checked. Nothing was sent.',
    );
  }
  return (name) => owners.get(name);
}

async function storedName(name: string): Promise<string> {
  if (name.length <= maxNameLength) return name;
  return `sha256:${await sha256(new TextEncoder().encode(name))}`;
}

/**
 * Records who owns what a response describes, in its headers or in `body`, its JSON. The page receives the response even if the store fails, because it may
 * be a paid task; the store is then called again.
 */
export async function recordOwner(
  user: string,
  {
    route,
    taskId,
    body,
  }: {
    readonly route: Route;
    readonly taskId?: string | undefined;
    readonly body?: string | undefined;
  },
  { store, report }: StoreSettings,
): Promise<void> {
  const fields = route.resource === 'task' ? taskFields : undefined;
  const names = new Set(body === undefined ? [] : resourcesIn(body, fields));
  if (taskId !== undefined) names.add(taskId);
  if (names.size === 0) return;
  const all = new Set([...names].flatMap((name) => [name, wellFormed(name), canonical(name)]));
  const stored = await Promise.all(Array.from(all, storedName));
  const recording = persist(() => store.own(user, stored), report);
  await waitAtMost(5_000, recording, () => undefined);
}

/** Removes the resources of other users from a list, and fields that name one, such as its last id. Public voices remain. */
export async function filterList(
  user: string,
  text: string,
  settings: StoreSettings,
): Promise<string> {
  const body = parseRecord(text);
  if (body === undefined || !Array.isArray(body.data)) {
    throw new ProxyError(502, 'bad_gateway', 'The gateway responded with an invalid list.');
  }
  // As texts, because a number would lose the last digits of an id.
  const fields = new Map(fieldsOf(text));
  const named = itemsOf(fields.get('data') ?? '').map((json) => ({
    json,
    names: resourcesIn(json),
  }));
  fields.delete('data');
  const others = Array.from(fields, ([name, json]) => ({
    name,
    references: referencesIn(`{${JSON.stringify(name)}:${json}}`),
  }));
  const ownerOf = await lookUp(
    new Set([
      ...named.flatMap(({ names }) => names),
      ...others.flatMap(({ references }) => references.flatMap(({ names }) => [...names])),
    ]),
    settings,
  );
  for (const { name, references } of others) {
    if (!references.every((each) => mayName(user, each, ownerOf, settings))) fields.delete(name);
  }
  const data = named
    .filter(({ json, names }) => {
      const found = names.map(ownerOf).filter((owner) => owner !== undefined);
      if (found.some((owner) => owner !== user)) return false;
      return found.length > 0 || settings.unowned === 'allow' || isPublic(json);
    })
    .map(({ json }) => json);
  fields.set('data', `[${data.join(',')}]`);
  const entries = Array.from(fields, ([name, json]) => `${JSON.stringify(name)}:${json}`);
  return `{${entries.join(',')}}`;
}

/** Whether a voice belongs to the service. */
const isPublic = (json: string): boolean => parseRecord(json)?.source_type === 'system';

/**
 * Reads a copy of a JSON response that names resources, whatever its content type is. Returns undefined if it is another
 * one, or cannot be read.
 */
export async function copyOf(response: Response): Promise<string | undefined> {
  if (!response.ok || isEventStream(response)) return undefined;
  const length = Number(response.headers.get('content-length') ?? 0);
  if (length > maxResponseLength) return undefined;
  const reader = response.clone().body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
      text += decoder.decode(part.value, { stream: true });
      if (/^\s*(?:\{|$)/.test(text) && text.length <= maxResponseLength) continue;
      reader?.cancel().catch(() => {});
      return undefined;
    }
  } catch {
    return undefined;
  }
  return parseRecord(text) && text;
}
