import { AbortedError } from '../../errors/aborted.ts';
import { MaterialFailedError, MaterialWaitTimeoutError } from '../../errors/materials.ts';
import { isAvailable } from '../../schemas/materials.ts';
import type { AvailableMaterial, Material } from '../../schemas/materials.ts';
import type { WaitOptions } from '../../schemas/task-handle.ts';
import { lastUpdate, poll } from './poll.ts';
import type { RequestOptions } from '../call/api-call.ts';
import type { Sender } from '../call/sender.ts';

/** The specification's interval for materials: every 3 to 5 seconds. */
export const materialPollTiming = { pollInterval: 3_000, maxPollInterval: 5_000 };

/** A material as of one poll. */
export type MaterialUpdate = Material & {
  /** Why this poll failed, when it did; the rest is then as of the poll before. The wait goes on. */
  pollError?: Error | undefined;
};

/** What waiting for a material needs. */
export interface MaterialWait {
  readonly sender: Sender;
  readonly id: string;
  /** The material as the create's answer told it. */
  readonly known?: Material | undefined;
  /** One poll. */
  readonly read: (options: RequestOptions) => Promise<Material>;
}

/** Every poll until the material is available or never will be, the last one included. */
export async function* followMaterial(
  { sender, id, known, read }: MaterialWait,
  options: Omit<WaitOptions<MaterialUpdate>, 'onUpdate'>,
): AsyncGenerator<MaterialUpdate, void, undefined> {
  const context = {
    sender,
    signal: options.signal,
    known: known && { value: known, at: sender.config.clock.now() },
    isFinished,
    read: async (once: RequestOptions) => ({ value: await read(once) }),
    onAbort: (cause: unknown) =>
      new AbortedError(`The wait for material ${id} was aborted. It goes on.`, { cause }),
    onTimeout: (ms: number, material: Material | undefined) =>
      new MaterialWaitTimeoutError(
        `Material ${id} is not available after ${ms} ms (${material?.status ?? 'never seen'}). It goes on.`,
        { material },
      ),
  };
  yield* poll(context, options, materialPollTiming);
}

/** Waits until a material is available. */
export async function waitForMaterial(
  wait: MaterialWait,
  options: WaitOptions<MaterialUpdate>,
): Promise<AvailableMaterial> {
  const last = await lastUpdate(followMaterial(wait, options), options, wait.sender);
  if (last !== undefined && isAvailable(last)) return last;
  throw new MaterialFailedError(
    `Material ${wait.id} is ${last?.status} and will not become available.`,
    { material: last },
  );
}

/** Whether a material will not change any more, as far as a wait goes. Specification: Material status. */
function isFinished({ status }: Material): boolean {
  return /^(available|(verification_)?failed|verification_expired|delete(d|_pending))$/.test(
    status,
  );
}
