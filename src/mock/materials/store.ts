import type { MaterialOutcome, Settings } from '../options.ts';
import type { MaterialState, User } from '../state.ts';

/** How long a material stays available. Specification: Limits. */
export const lifetimeMs = 2 * 60 * 60 * 1000;

/** Returns the status at a given time; `expired` is what the specification calls archived. Specification: Material status. */
export function statusOf(material: MaterialState, now: number) {
  const { verification, processingAt, processedAt, deletedAt } = material;
  if (deletedAt !== undefined) return now < deletedAt ? 'delete_pending' : 'deleted';
  if (material.verificationFailed) return 'verification_failed';
  if (processingAt === undefined || processedAt === undefined) {
    const pending = verification !== undefined && now < verification.expiresAt;
    return pending ? 'verification_pending' : 'verification_expired';
  }
  if (now < processingAt) return 'creating';
  if (now < processedAt) return 'processing';
  if (material.outcome === 'failed') return 'failed';
  return now < processedAt + lifetimeMs ? 'available' : 'expired';
}

/** The materials of all users. */
export class MaterialStore {
  readonly #byId = new Map<string, MaterialState>();
  readonly #byUri = new Map<string, MaterialState>();
  readonly #byToken = new Map<string, MaterialState>();
  readonly #options: Settings['materials'];
  readonly #onChange: () => void;

  constructor(options: Settings['materials'], onChange: () => void) {
    this.#options = options;
    this.#onChange = onChange;
  }

  get all(): Iterable<MaterialState> {
    return this.#byId.values();
  }

  get count(): number {
    return this.#byId.size;
  }

  add(material: MaterialState): void {
    this.restore(material);
    this.#onChange();
  }

  /** Adds a material of an earlier gateway. */
  restore(material: MaterialState): void {
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

  /** Finds the material with this `asset://` URI, if it is in the user's library. */
  byUri(user: User, uri: string): MaterialState | undefined {
    const material = this.#byUri.get(uri);
    return material?.user === user ? material : undefined;
  }

  /** Returns a user's materials, newest first. */
  ownedBy(user: User): MaterialState[] {
    return Array.from(this.#byId.values())
      .filter((material) => material.user === user)
      .toReversed();
  }

  /** Returns the outcome of processing the file at this URL. */
  outcomeFor(url: string): MaterialOutcome {
    const { outcome } = this.#options;
    return typeof outcome === 'function' ? outcome(url) : outcome;
  }

  /** Starts the `creating` and `processing` phases. */
  startProcessing(material: MaterialState, now: number): void {
    const { creatingMs, durationMs } = this.#options;
    material.processingAt = now + creatingMs;
    material.processedAt = material.processingAt + durationMs;
    this.#onChange();
  }

  /** Ends the verification of a person without success. */
  failVerification(material: MaterialState): void {
    material.verificationFailed = true;
    this.#onChange();
  }

  /** Deletes a material. Deleting it again completes a pending deletion. */
  delete(material: MaterialState, now: number): void {
    material.deletedAt = material.deletedAt === undefined ? now + this.#options.deleteMs : now;
    this.#onChange();
  }
}
