import { isRecord } from '../../types/type-guards.ts';
import { invalidBody } from '../body/fields.ts';
import { parseRecord } from '../body/read.ts';
import { ProxyError } from '../error-response.ts';
import type { Route, Target } from '../routes.ts';
import type { Settings } from '../settings.ts';
import { persist, waitAtMost, withinTime } from '../store/operations.ts';
import { referencesIn, resourcesIn, taskFields } from './references.ts';

type StoreSettings = Pick<Settings, 'store' | 'report' | 'unowned' | 'onStoreError'>;

/** How much of a response is read to find the ids in it. */
const maxResponseLength = 4_194_304;

/** How many owners are looked up for one body. More would block the store for other users. */
const maxReferences = 10_000;

/**
 * Rejects a request for a task or a material of another user, and for one without an owner. Returns whether the path
 * names a resource that the user owns.
 *
 * @throws a 404, or a 503 if the store fails.
 */
export async function checkPath(
  user: string,
  { values }: Target,
  settings: StoreSettings,
): Promise<boolean> {
  let isOwner = false;
  const { taskId = values.task_id, materialId = values.material_id } = values;
  const voiceId = values.voiceId ?? values.voice_id;
  for (const [kind, id] of Object.entries({ task: taskId, material: materialId, voice: voiceId })) {
    if (id === undefined) continue;
    const [owner] = await ownersOf([id], settings);
    isOwner ||= owner === user;
    if (owner === user || (owner === undefined && settings.unowned === 'allow')) continue;
    throw new ProxyError(404, `${kind}_not_found`, `This ${kind} does not exist.`);
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
  body: unknown,
  settings: StoreSettings,
): Promise<void> {
  const { names, assets, isCertain } = referencesIn(body);
  if (names.length === 0) return;
  if (names.length > maxReferences) {
    throw invalidBody('The body has too many short texts: each could be the id of a resource.');
  }
  let owners: readonly (string | undefined)[];
  try {
    owners = await ownersOf(names, settings);
  } catch (error) {
    // Without a reference for certain, the failure of the store is like that of limits.
    if (!isCertain && settings.onStoreError === 'allow') return;
    throw error;
  }
  const isOther = names.some((_, index) => owners[index] !== undefined && owners[index] !== user);
  const owned = new Set(names.filter((_, index) => owners[index] === user));
  const isUnowned = assets.some(
    (uri) => !owned.has(uri) && !owned.has(uri.slice('asset://'.length)),
  );
  if (!isOther && (!isUnowned || settings.unowned === 'allow')) return;
  throw new ProxyError(
    404,
    'resource_not_found',
    'The body refers to a task, material or voice that does not exist. Nothing was sent.',
  );
}

async function ownersOf(names: readonly string[], { store, report }: StoreSettings) {
  try {
    return await withinTime(() => store.ownersOf(names));
  } catch (error) {
    report(error);
    throw new ProxyError(
      503,
      'store_unavailable',
      'The owner of a resource cannot be checked. Nothing was sent.',
    );
  }
}

/** What may name resources in a response. */
interface NamingResponse {
  readonly route: Route;
  readonly taskId: string | undefined;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Records who owns what a response describes. The page receives the response even if the store fails, because it may
 * be a paid task; the store is then called again.
 */
export async function recordOwner(
  user: string,
  { route, taskId, body }: NamingResponse,
  { store, report }: StoreSettings,
): Promise<void> {
  const fields = route.resource === 'task' ? taskFields : undefined;
  const names = new Set(body && resourcesIn(body, fields));
  if (taskId !== undefined) names.add(taskId);
  if (names.size === 0) return;
  const recording = persist(() => store.own(user, [...names]), report);
  await waitAtMost(5_000, recording);
}

/** Removes the resources of other users from a list. Voices that are public remain. */
export async function filterList(
  user: string,
  text: string,
  settings: StoreSettings,
): Promise<string> {
  const body = parseRecord(text);
  if (body === undefined || !Array.isArray(body.data)) {
    throw new ProxyError(502, 'bad_gateway', 'The gateway responded with an invalid list.');
  }
  const records: unknown[] = body.data;
  const named = records.map((record) => ({
    record,
    names: isRecord(record) ? resourcesIn(record) : [],
  }));
  const names = [...new Set(named.flatMap((entry) => entry.names))];
  const owners = names.length === 0 ? [] : await ownersOf(names, settings);
  const ownerOf = new Map(names.map((name, index) => [name, owners[index]]));
  const data = named
    .filter((entry) => {
      const found = entry.names
        .map((name) => ownerOf.get(name))
        .filter((owner) => owner !== undefined);
      if (found.some((owner) => owner !== user)) return false;
      return found.length > 0 || settings.unowned === 'allow' || isPublic(entry.record);
    })
    .map(({ record }) => record);
  return JSON.stringify({ ...body, data });
}

/** Whether a voice belongs to the service. */
function isPublic(record: unknown): boolean {
  return isRecord(record) && record.source_type === 'system';
}

/** Reads a copy of a JSON response that names resources. Returns undefined if it is another one, or cannot be read. */
export async function copyOf(response: Response): Promise<Record<string, unknown> | undefined> {
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || !/^application\/json\b/i.test(type)) return undefined;
  const length = Number(response.headers.get('content-length') ?? 0);
  if (length > maxResponseLength) return undefined;
  return parseRecord(
    await response
      .clone()
      .text()
      .catch(() => ''),
  );
}
