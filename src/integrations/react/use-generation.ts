import type { SucceededGeneration, TaskKind } from 'polygate';

import type {
  GenerationNamespace,
  GenerationOptions,
  GenerationSnapshot,
} from './store/generation-state.ts';
import { GenerationStore } from './store/generation-store.ts';
import { useClient, useStore } from './use-store.ts';

/** What `useGeneration` returns. */
export interface UseGeneration<Params, Kind extends TaskKind> extends GenerationSnapshot<Kind> {
  /**
   * Submits a task and waits for it. Call it in an event handler, never in an effect. Resolves to the result, or to
   * undefined after a failure or a stop; see `error`.
   *
   * Rejects if nothing was started, with an error whose `code` says why: `generation_pending`; `outcome_unknown`, if an
   * earlier request with other params may have been charged; `invalid_params`; or `not_stored`, with `requireStorage`.
   */
  generate: (params: Params) => Promise<SucceededGeneration<Kind> | undefined>;
  /** Stops waiting. The task continues, and is waited for after a reload, or after `resume()`. */
  stop: () => void;
  /**
   * Sends a request with status `unknown` again, with the same key: it is not charged twice. Otherwise continues to
   * wait for the task, starting with a poll. Resolves as `generate` does.
   *
   * Rejects if nothing was started, with the `code` `nothing_to_resume`, `params_not_stored`, `generation_pending` or `not_stored`.
   */
  resume: () => Promise<SucceededGeneration<Kind> | undefined>;
  /** Forgets the generation in all tabs. A task that was accepted continues on the service. */
  reset: () => void;
}

/**
 * Generates an image, a video, music or speech, and survives a reload: with an `id`, the idempotency key is stored
 * before the request, and the receipt after it.
 *
 * @example
 * ```tsx
 * const image = useGeneration(gateway.images, { id: 'hero' });
 * <button disabled={image.isPending} onClick={() => image.generate({ model, prompt })}>Draw</button>
 * ```
 */
export function useGeneration<Params, Kind extends TaskKind>(
  namespace: GenerationNamespace<Params, Kind>,
  options: GenerationOptions<Kind> = {},
): UseGeneration<Params, Kind> {
  useClient(namespace);
  return useStore(
    namespace.media,
    options.id,
    { ...options, namespace },
    GenerationStore<Params, Kind>,
    (store) => ({
      generate: (params) => store().generate(params),
      stop: () => store().stop(),
      resume: () => store().resume(),
      reset: () => store().reset(),
    }),
  );
}
