import { readFileSync, statSync } from 'node:fs';

import type { Polygate, Receipt } from 'polygate';

import { messageOf, unknownName, UsageError } from './arguments.ts';
import { generationKinds } from './command-options.ts';
import { isSameService } from './task-store.ts';
import type { GenerationKind, TaskEntry, TaskStore } from './task-store.ts';

/** The service that the command uses. */
export interface Service {
  readonly gateway: Polygate;
  readonly account: string;
}

/** Finds a task by its id, its key or a file with its receipt. Throws a `UsageError` if that is not possible. */
export function locate(
  given: string,
  kind: string | undefined,
  store: TaskStore,
  service: Service,
): TaskEntry {
  const known = entryOf(store.find(given), service);
  if (known !== undefined) return known;
  const receipt = receiptFile(given, service.gateway);
  if (receipt !== undefined) {
    return entryOf(store.find(receipt.id), service) ?? entryFor(receipt, service);
  }
  if (kind === undefined) {
    throw new UsageError(
      `${given} is neither a task of this machine nor a file. For the id of another task, add --kind image, video, music or speech`,
    );
  }
  return entryFor({ v: 1, kind: taskKind(kind), id: given }, service);
}

/** Returns the entry that belongs to the service and the account. */
function entryOf(entries: readonly TaskEntry[], service: Service): TaskEntry | undefined {
  const { gateway, account } = service;
  const [first] = entries;
  if (first === undefined) return undefined;
  const ofService = entries.filter(({ baseURL }) => isSameService(baseURL, gateway.baseURL));
  const ofAccount = ofService.find((entry) => entry.account === account);
  if (ofAccount !== undefined) return ofAccount;
  const [other] = ofService;
  if (other === undefined) {
    throw new UsageError(
      `this task was submitted to ${first.baseURL}: use --base-url ${first.baseURL}, with an API key for it`,
    );
  }
  // Another key of the same account can read the task.
  if (other.receipt !== undefined) return other;
  throw new UsageError(
    'this request was sent with another API key. Sent with this one, it could be charged a second time: use the other key',
  );
}

/** Reads a receipt from a file; undefined if there is no such file. */
function receiptFile(path: string, gateway: Polygate): Receipt | undefined {
  let text: string;
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  // Checks the receipt.
  const given: unknown = text;
  return gateway.resume(given).toJSON();
}

/** An entry for a task that is not in the state folder. */
function entryFor(receipt: Receipt, { gateway, account }: Service): TaskEntry {
  return {
    v: 1,
    kind: receipt.kind === 'audio' ? 'music' : receipt.kind,
    baseURL: gateway.baseURL,
    account,
    idempotencyKey: receipt.idempotencyKey ?? `task ${receipt.id}`,
    hash: '-',
    createdAt: receipt.submittedAt ?? new Date().toISOString(),
    output: '',
    receipt,
  };
}

function taskKind(kind: string): Receipt['kind'] {
  if (kind === 'audio' || kind === 'music' || kind === 'speech') return 'audio';
  if (kind === 'image' || kind === 'video') return kind;
  throw new UsageError(
    `--kind: ${unknownName('kind', kind, generationKinds satisfies readonly GenerationKind[])}`,
  );
}
