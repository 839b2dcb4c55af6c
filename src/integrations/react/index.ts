import type { SucceededGeneration, TaskKind, Model, OpenString, Spend } from 'polygate';
import { useCallback, useMemo, useSyncExternalStore } from 'react';

import { BudgetStore } from './store/budget-store.ts';
import type { BudgetOptions, BudgetSnapshot } from './store/budget-store.ts';
import type {
  ChatEntry,
  ChatGateway,
  ChatInput,
  ChatOptions,
  ChatSnapshot,
} from './store/chat-state.ts';
import { ChatStore } from './store/chat-store.ts';
import type { ChatSettings } from './store/chat-store.ts';
import type {
  GenerationNamespace,
  GenerationOptions,
  GenerationSnapshot,
} from './store/generation-state.ts';
import { GenerationStore } from './store/generation-store.ts';
import { modelsStoreOf, noModels, nothingSpent, spendOf } from './store/models-store.ts';
import type { ModelsGateway, ModelsSnapshot, SpendGateway } from './store/models-store.ts';
import { useClient, useStore } from './use-store.ts';

export type { UserBudget } from 'polygate/proxy';
export type { RefusalCode } from './store/errors.ts';
export type { GenerationStatus } from './store/generation-state.ts';
export type { KeyValueStorage } from './store/stored-value.ts';
export type { BudgetOptions, BudgetSnapshot, ModelsGateway, ModelsSnapshot, SpendGateway };
export type { ChatEntry, ChatGateway, ChatInput, ChatOptions, ChatSnapshot };
export type { GenerationNamespace, GenerationOptions, GenerationSnapshot };

/** What `useChat` returns. */
export interface UseChat extends ChatSnapshot {
  /**
   * Sends a message, text or parts. Call it in an event handler, never in an effect. Resolves when the response has
   * ended, to its message, or to undefined after a failure or a stop; see `error`.
   *
   * Rejects with the `code` `chat_pending` while a response is streaming.
   */
  send: (input: ChatInput) => Promise<ChatEntry | undefined>;
  /** Ends the response. What has arrived stays in `messages`, with `incomplete: true`. */
  stop: () => void;
  /**
   * Requests a response again after it failed or was stopped. The new response replaces the incomplete one. It is a new
   * request with a new charge: `error.outcome` says whether the last one may have been charged as well.
   *
   * Rejects with the `code` `chat_pending`, or `nothing_to_retry` if the last response is complete.
   */
  retry: () => Promise<ChatEntry | undefined>;
}

/**
 * A conversation with a model, whose responses stream. Unmounting the component aborts the stream.
 *
 * @example
 * ```tsx
 * const { messages, send, status } = useChat(gateway, { model: 'some-chat-model' });
 * ```
 */
export function useChat<Arguments extends readonly unknown[] = readonly unknown[]>(
  gateway: ChatGateway,
  options: ChatOptions<Arguments>,
): UseChat {
  useClient(gateway);
  const settings: ChatSettings = { ...options, gateway };
  return useStore('chat', options.id, settings, ChatStore, (store) => ({
    send: (input) => store().send(input),
    stop: () => store().stop(),
    retry: () => store().retry(),
  }));
}

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

/** What `useModels` returns. */
export interface UseModels extends ModelsSnapshot {
  /** Loads the list again. Never rejects; see `error`. */
  refresh: () => Promise<void>;
}

/**
 * The models that the API key can use, of one type, such as `image`. They are loaded once for all components.
 *
 * @example
 * ```tsx
 * const { models } = useModels(gateway, { type: 'chat' });
 * ```
 */
export function useModels(
  gateway: ModelsGateway,
  { type }: { type?: OpenString<NonNullable<Model['type']>> | undefined } = {},
): UseModels {
  const client = useClient(gateway);
  const store = modelsStoreOf(client);
  const subscribe = useCallback(
    (notify: () => void) => store.subscribe(notify, { current: client }),
    [store, client],
  );
  const snapshot = useSyncExternalStore(
    subscribe,
    () => store.snapshot,
    () => noModels,
  );
  return useMemo(
    () => ({
      ...snapshot,
      models: snapshot.models.filter((model) => !type || model.type === type),
      refresh: () => store.refresh(),
    }),
    [snapshot, store, type],
  );
}

/** What `useBudget` returns. */
export interface UseBudget extends BudgetSnapshot {
  /** Loads the budget again, at most once per second. Never rejects; see `error`. */
  refresh: () => Promise<void>;
}

/**
 * What is left of the limits of the user, from a proxy with `budgetPath`. It is loaded once for all components, and
 * again after each charge of `client`, when the page is shown again, and at the end of the window.
 *
 * @example
 * ```tsx
 * const { budget } = useBudget({ url: '/api/gateway/budget', client: gateway });
 * ```
 */
export function useBudget(options: BudgetOptions): UseBudget {
  useClient(options.client);
  return useStore('budget', options.url, options, BudgetStore, (store) => ({
    refresh: () => store().refresh(),
  }));
}

/**
 * What the client has spent since the page was loaded. Unlike `gateway.spend`, the object is never modified.
 *
 * @example
 * ```tsx
 * const { totalUsd } = useSpend(gateway);
 * ```
 */
export function useSpend(gateway: SpendGateway): Spend {
  const client = useClient(gateway);
  const subscribe = useCallback((notify: () => void) => client.onSpend(notify), [client]);
  return useSyncExternalStore(
    subscribe,
    () => spendOf(client),
    () => nothingSpent,
  );
}
