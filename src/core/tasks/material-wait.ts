import { MaterialFailedError, MaterialWaitTimeoutError } from '../../errors/materials.ts';
import { isAvailable } from '../../schemas/materials.ts';
import type { AvailableMaterial, Material } from '../../schemas/materials.ts';
import type { WaitOptions } from '../../schemas/task-handle.ts';
import { throwToCaller } from '../call/caller-stack.ts';
import type { ClientContext } from '../call/context.ts';
import { abortedError } from '../call/errors.ts';
import type { CheckedOptions, PollHeaders } from '../call/request-options.ts';
import { checkOptions } from '../config/validation.ts';
import { lastUpdate, poll, waitCallbackRules, waitRules } from './poll.ts';
import type { PollTarget } from './poll.ts';

/** The interval that the specification recommends for materials: every 3 to 5 seconds. */
const materialPollTiming = { pollInterval: 3_000, maxPollInterval: 5_000 };

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
export async function* followMaterial(
  { context, id, known, headers, read }: MaterialWait,
  options: Omit<WaitOptions<MaterialUpdate>, 'onUpdate'>,
): AsyncGenerator<MaterialUpdate, void, undefined> {
  const target: PollTarget<Material> = {
    context,
    headers,
    known: known && { value: known, at: context.config.clock.now() },
    isFinished,
    read: async (attempt) => ({ value: await read(attempt) }),
    onAbort: (cause) =>
      abortedError(
        cause,
        {},
        `The wait for material ${id} was aborted. Processing continues: call materials.wait() again.`,
      ),
    onTimeout: (ms, material) =>
      new MaterialWaitTimeoutError(
        `Material ${id} was not available after ${ms} ms (${material?.status ?? 'status unknown'}). Processing continues: call materials.wait() again.`,
        { material },
      ),
  };
  try {
    yield* poll(target, options, materialPollTiming);
  } catch (error) {
    throwToCaller(error);
  }
}

/** Waits until a material is available. */
export async function waitForMaterial(
  wait: MaterialWait,
  options: WaitOptions<MaterialUpdate>,
): Promise<AvailableMaterial> {
  checkOptions(options, waitRules, waitCallbackRules);
  const { onUpdate, ...pollOptions } = options;
  const last = await lastUpdate(followMaterial(wait, pollOptions), onUpdate, wait.context);
  if (last !== undefined && isAvailable(last)) return last;
  const reason =
    last?.status === 'available'
      ? 'is available but has no asset:// URI'
      : `has the status ${last?.status} and will not become available`;
  throw new MaterialFailedError(
    `Material ${wait.id} ${reason}. To try again, create it with a new idempotency key.`,
    { material: last },
  );
}

/** Whether the status of a material ends a wait. Specification: Material status. */
function isFinished({ status }: Material): boolean {
  return /^(available|(verification_)?failed|verification_expired|delete(d|_pending))$/.test(
    status,
  );
}
