import { ConfigurationError } from '../errors/base.ts';
import { unchecked } from '../wire/types/schema.ts';
import { isRecord } from '../wire/types/type-guards.ts';
import { describeIssue } from './http/describe-issue.ts';
import type { Services } from './services.ts';
import { snapshotSchema, snapshotVersion } from './snapshot-schema.ts';
import type { Snapshot } from './snapshot-schema.ts';
import type { Key } from './state.ts';

/** Returns the state of a gateway as plain JSON, which later changes do not affect. */
export function takeSnapshot(services: Services, restarts: number): Snapshot {
  const { clock, users, ledger, tasks, materials } = services;
  const snapshot: Snapshot = {
    format: 'polygate-mock',
    version: snapshotVersion,
    restarts,
    now: clock.now(),
    submittedTasks: tasks.submitted,
    users: Array.from(users.all, ({ name, balanceUsd, spentUsd, idempotencyRecords, voices }) => ({
      name,
      balanceUsd,
      spentUsd,
      idempotencyRecords: [...idempotencyRecords],
      voices: Array.from(voices.values(), (voice) => ({ ...voice, user: name })),
    })),
    keys: Array.from(users.keys, ({ number, state, spentUsd }) => ({ number, state, spentUsd })),
    invoice: ledger.lines.map((line) => ({ ...line })),
    tasks: Array.from(tasks.all, (task) => ({
      ...task,
      user: task.user.name,
      key: task.key?.number,
      pending: tasks.isPending(task),
    })),
    materials: Array.from(materials.all, (material) => ({ ...material, user: material.user.name })),
  };
  return unchecked<Snapshot>(JSON.parse(JSON.stringify(snapshot)));
}

/** Checks a value that `takeSnapshot` returned, possibly in another process. */
export function parseSnapshot(value: object): Snapshot {
  const found: unknown = isRecord(value) ? value.version : undefined;
  if (typeof found === 'number' && found > snapshotVersion) {
    throw new ConfigurationError(
      `snapshot: has version ${found}, but this version of polygate only reads ${snapshotVersion}. Update polygate.`,
    );
  }
  const result = snapshotSchema.safeParse(value);
  if (result.success) return result.data;
  const issue = describeIssue(result.error.issues, value);
  throw new ConfigurationError(`snapshot: is not the state of a mock gateway: ${issue}.`);
}

/** Restores the state of an earlier gateway. Its balances replace the initial ones. */
export function restoreSnapshot(snapshot: Snapshot, services: Services): void {
  const { users, ledger, tasks, materials } = services;
  for (const { name, balanceUsd, spentUsd, idempotencyRecords, voices } of snapshot.users) {
    const user = users.named(name);
    Object.assign(user, { balanceUsd, spentUsd });
    for (const [scope, record] of idempotencyRecords) {
      user.idempotencyRecords.set(scope, { ...record, resourceId: record.resourceId });
    }
    for (const voice of voices) user.voices.set(voice.id, { ...voice, user });
  }
  const keys = new Map<number | undefined, Key>();
  for (const key of users.keys) keys.set(key.number, key);
  for (const { number, state, spentUsd } of snapshot.keys) {
    Object.assign(keys.get(number) ?? {}, { state, spentUsd });
  }
  for (const line of snapshot.invoice) {
    ledger.lines.push({ ...line, idempotencyKey: line.idempotencyKey, taskId: line.taskId });
  }
  for (const { pending, ...task } of snapshot.tasks) {
    const { idempotencyKey } = task;
    const owner = { user: users.named(task.user), key: keys.get(task.key) };
    tasks.restore({ ...task, ...owner, idempotencyKey }, pending);
  }
  tasks.submitted = snapshot.submittedTasks;
  for (const material of snapshot.materials) {
    const { verification, processingAt, processedAt, deletedAt } = material;
    const times = { processingAt, processedAt, deletedAt };
    materials.restore({ ...material, ...times, verification, user: users.named(material.user) });
  }
}
