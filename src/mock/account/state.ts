import type { TaskKind } from '../../schemas/task.ts';
import type { KeyState, TaskOutcome } from '../options.ts';

/** A person or company: the owner of keys, wallet, slots, tasks, materials and voices. */
export interface User {
  readonly name: string;
  /** The number that the key-balance record shows. */
  readonly number: number;
  balanceUsd: number;
  spentUsd: number;
  /** Requests that hold a slot. */
  inFlight: number;
  /** Tasks that have not ended yet. */
  readonly pendingTasks: Set<Task>;
  /** What earlier idempotency keys led to, by a scope and the key. */
  readonly idempotencyRecords: Map<string, IdempotencyRecord>;
  readonly voices: Map<string, VoiceState>;
}

/** A key and its owner. */
export interface Key {
  readonly key: string;
  readonly number: number;
  readonly user: User;
  state: KeyState;
  /** What was charged to it, less refunds. */
  spentUsd: number;
  limit: number | undefined;
}

/** What a submit with an idempotency key led to. */
export interface IdempotencyRecord {
  readonly fingerprint: string;
  readonly taskId: string | undefined;
  readonly chargeUsd: number;
  /** The answer as it was, where there is no task to ask again. */
  readonly response?: unknown;
}

/** A task. Where it stands follows from the clock. */
export interface Task {
  readonly id: string;
  readonly kind: TaskKind;
  readonly user: User;
  /** The key that submitted it. */
  readonly key: Key | undefined;
  readonly model: string;
  readonly prompt: string;
  readonly body: Record<string, unknown>;
  readonly createdAt: number;
  readonly endsAt: number;
  readonly outcome: TaskOutcome;
  /** How many files it makes. */
  readonly count: number;
  readonly chargeUsd: number;
  readonly route: string;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
}

/** A material and what its record hides. Where it stands follows from the clock. */
export interface MaterialState {
  readonly id: string;
  readonly user: User;
  readonly name: string;
  readonly type: 'image' | 'video' | 'audio';
  readonly uri: `asset://${string}`;
  readonly sourceUrl: string;
  readonly createdAt: number;
  /** Which material of the gateway it is, from 1. */
  readonly number: number;
  readonly outcome: 'available' | 'failed';
  readonly verification: Verification | undefined;
  /** When the processing begins; undefined while a person has to be verified first. */
  processingAt: number | undefined;
  /** When the processing ends; undefined while a person has to be verified first. */
  processedAt: number | undefined;
  verificationFailed: boolean;
  /** When it is gone, or will be; undefined unless it was deleted. */
  deletedAt: number | undefined;
}

/** A person who has to show that they are alive and agree. */
export interface Verification {
  readonly token: string;
  readonly callbackUrl: string;
  readonly expiresAt: number;
}

/** A private voice. */
export interface VoiceState {
  readonly id: string;
  readonly name: string;
  readonly user: User;
  readonly language: string;
  readonly description: string;
  readonly source: 'voice_clone' | 'voice_design';
  readonly createdAt: number;
}
