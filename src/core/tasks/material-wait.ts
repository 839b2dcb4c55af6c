import { MaterialFailedError, MaterialWaitTimeoutError } from '../../errors/materials.ts';
import { isAvailable } from '../../schemas/materials.ts';
import type { AvailableMaterial, Material } from '../../schemas/materials.ts';
import type { WaitOptions } from '../../schemas/task-handle.ts';
import type { ClientContext } from '../call/context.ts';
import type { CheckedOptions, PollHeaders } from '../call/request-options.ts';
import { lastUpdate, updatesOf } from './poll.ts';
import type { PollTarget } from './poll.ts';

/** The result of one poll of a material. */
export type MaterialUpdate = Material & {
  /** Why this poll failed, if it did; the other fields are then those of the previous poll. The wait continues. */
  pollError?: Error | undefined;
};

/** A material to wait for. */
export interface MaterialWait {
  readonly context: ClientContext;
  readonly id: string;
  /** The material as the create call returned it. */
  readonly known?: Material | undefined;
  /** Headers of the create call, which the polls carry too. */
  readonly headers?: PollHeaders | undefined;
  /** Polls once. */
  readonly read: (options: CheckedOptions) => Promise<Material>;
}

/** Yields every poll until the material is available or has permanently failed, including the last one. */
export function followMaterial(
  wait: MaterialWait,
  options: Omit<WaitOptions<MaterialUpdate>, 'onUpdate'>,
): AsyncGenerator<MaterialUpdate, void, undefined> {
  return updatesOf(toTarget(wait), options);
}

/** Waits until a material is available. */
export async function waitForMaterial(
  wait: MaterialWait,
  options: WaitOptions<MaterialUpdate>,
): Promise<AvailableMaterial> {
  const last = await lastUpdate(toTarget(wait), options);
  if (last !== undefined && isAvailable(last)) return last;
  const reason = last?.status === 'available' ? 'no asset:// URI' : 'will not become available';
  throw new MaterialFailedError(
    `Material ${wait.id} has the status ${last?.status} and ${reason}. To try again, use a new idempotency key.`,
    { material: last },
  );
}

function toTarget({ context, id, known, headers, read }: MaterialWait): PollTarget<Material> {
  const { clock } = context.config;
  const received = (value: Material) => ({ data: value, at: clock.now() });
  return {
    context,
    headers,
    message: (event) =>
      `The wait ${event}. Material ${id} is not lost: continue with materials.wait().`,
    // Specification: Material status; polling a material.
    finalStatus: /^available$|^delete|(failed|expired)$/,
    pollInterval: 3_000,
    known: known && received(known),
    read: async (options) => received(await read(options)),
    timeoutError: (message, material) => new MaterialWaitTimeoutError(message, { material }),
  };
}
