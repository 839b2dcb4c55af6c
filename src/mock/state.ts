import type { TaskKind } from '../wire/types/tasks/task.ts';
import type { GeneratedCompletion } from './chat/generate.ts';
import type { KeyState } from './gateway.ts';
import type { TaskOutcome } from './options.ts';

/** A person or company that owns keys, a wallet, slots, tasks, materials and voices. */
export interface User {
  readonly name: string;
  /** The numeric user id in the key balance record. */
  readonly number: number;
  balanceUsd: number;
  spentUsd: number;
  /** Number of requests that hold a slot. */
  inFlight: number;
  /** Tasks that have not ended yet. */
  readonly pendingTasks: Set<Task>;
  /** Results of earlier requests with an idempotency key, by `<scope> <key>`. */
  readonly idempotencyRecords: Map<string, IdempotencyRecord>;
  readonly voices: Map<string, VoiceState>;
}

/** An API key and its owner. */
export interface Key {
  readonly key: string;
  readonly number: number;
  readonly user: User;
  state: KeyState;
  /** Sum of its charges minus refunds. */
  spentUsd: number;
  /** The concurrency limit of this key; undefined if the user's limit applies. */
  limit: number | undefined;
}

/** The sender of a request, and the request details that an invoice line records. */
export interface Caller {
  /** The owner of the key; the anonymous user on public endpoints. */
  user: User;
  /** Undefined on public endpoints. */
  key: Key | undefined;
  /** Method and path, such as `POST /v1/videos`. */
  route: string;
  requestId: string;
  /** When the request arrived, in clock milliseconds. */
  now: number;
  /** The charge of this request so far. */
  receipt: Receipt;
}

/** The charge of a request. Copies of its context share it. */
export interface Receipt {
  /** Undefined if nothing was charged. */
  chargedUsd: number | undefined;
}

/** The result of a request that had an idempotency key. */
export interface IdempotencyRecord {
  readonly fingerprint: string;
  /** Id of the task or material that the request created. */
  readonly resourceId: string | undefined;
  readonly chargeUsd: number;
  /** The original response body, if the request created a voice. */
  readonly response?: unknown;
  /** The completion, if it was a chat request. */
  readonly completion?: GeneratedCompletion | undefined;
}

/** A task. Its status is computed from the clock. */
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
  /** Number of files that it generates. */
  readonly count: number;
  readonly chargeUsd: number;
  readonly route: string;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
}

/** A material, with the details that its record omits. Its status is computed from the clock. */
export interface MaterialState {
  readonly id: string;
  readonly user: User;
  readonly name: string;
  readonly type: 'image' | 'video' | 'audio';
  readonly uri: `asset://${string}`;
  readonly sourceUrl: string;
  readonly createdAt: number;
  /** Its position among all materials of the gateway, starting at 1. */
  readonly number: number;
  readonly outcome: 'available' | 'failed';
  readonly verification: Verification | undefined;
  /** When processing starts; undefined until a required verification succeeds. */
  processingAt: number | undefined;
  /** When processing ends; undefined until a required verification succeeds. */
  processedAt: number | undefined;
  verificationFailed: boolean;
  /** When the deletion completes; undefined unless it was requested. */
  deletedAt: number | undefined;
}

/** The liveness verification of the person that a material shows. */
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
