import type { MaterialOutcome, Settings } from '../options.ts';
import type { MaterialState, User } from '../account/state.ts';

/**
 * A material that has not been archived yet is in one of these states. Specification: Material
 * status.
 */
export type MaterialStatus =
  | 'creating'
  | 'verification_pending'
  | 'verification_failed'
  | 'verification_expired'
  | 'processing'
  | 'available'
  | 'failed'
  | 'delete_pending'
  | 'deleted'
  | 'expired';

/** Specification: Limits. */
export const lifetimeMs = 2 * 60 * 60 * 1000;

/** Where a material stands; `expired` is what the specification calls archived. */
export function statusOf(material: MaterialState, now: number): MaterialStatus {
  const { verification, processingAt, processedAt, deletedAt } = material;
  if (deletedAt !== undefined) return now < deletedAt ? 'delete_pending' : 'deleted';
  if (material.verificationFailed) return 'verification_failed';
  if (processingAt === undefined || processedAt === undefined) {
    const inTime = verification !== undefined && now < verification.expiresAt;
    return inTime ? 'verification_pending' : 'verification_expired';
  }
  if (now < processingAt) return 'creating';
  if (now < processedAt) return 'processing';
  if (material.outcome === 'failed') return 'failed';
  return now < processedAt + lifetimeMs ? 'available' : 'expired';
}

/** Every material of every user. */
export class Materials {
  readonly #byId = new Map<string, MaterialState>();
  readonly #byUri = new Map<string, MaterialState>();
  readonly #byToken = new Map<string, MaterialState>();
  readonly #options: Settings['materials'];

  constructor(options: Settings['materials']) {
    this.#options = options;
  }

  get count(): number {
    return this.#byId.size;
  }

  add(material: MaterialState): void {
    this.#byId.set(material.id, material);
    this.#byUri.set(material.uri, material);
    const { verification } = material;
    if (verification !== undefined) this.#byToken.set(verification.token, material);
  }

  byId(id: string): MaterialState | undefined {
    return this.#byId.get(id);
  }

  byToken(token: string): MaterialState | undefined {
    return this.#byToken.get(token);
  }

  /** The material behind an `asset://` URI, if it is in the user's library. */
  byUri(user: User, uri: string): MaterialState | undefined {
    const material = this.#byUri.get(uri);
    return material?.user === user ? material : undefined;
  }

  /** A user's materials, the newest first. */
  of(user: User): MaterialState[] {
    return Array.from(this.#byId.values())
      .filter((material) => material.user === user)
      .toReversed();
  }

  /** How the processing of a file ends. */
  outcome(url: string): MaterialOutcome {
    const { outcome } = this.#options;
    return typeof outcome === 'function' ? outcome(url) : outcome;
  }

  /** Hands the file over: it is created, then processed. */
  process(material: MaterialState, now: number): void {
    const { creatingMs, durationMs } = this.#options;
    material.processingAt = now + creatingMs;
    material.processedAt = material.processingAt + durationMs;
  }

  /** Deletes; a second time it is certainly gone. */
  delete(material: MaterialState, now: number): void {
    material.deletedAt = material.deletedAt === undefined ? now + this.#options.deleteMs : now;
  }
}
