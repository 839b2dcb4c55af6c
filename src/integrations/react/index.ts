export { useBudget, useChat, useGeneration, useModels, useSpend } from './hooks.ts';

export type { UserBudget } from 'polygate/proxy';

export type { UseBudget, UseChat, UseGeneration, UseModels } from './hooks.ts';
export type { BudgetOptions, BudgetSnapshot } from './store/budget-store.ts';
export type {
  ChatEntry,
  ChatGateway,
  ChatInput,
  ChatOptions,
  ChatSnapshot,
} from './store/chat-state.ts';
export type { RefusalCode } from './store/errors.ts';
export type {
  GenerationNamespace,
  GenerationOptions,
  GenerationSnapshot,
  GenerationStatus,
} from './store/generation-state.ts';
export type { ModelsGateway, ModelsSnapshot, SpendGateway } from './store/models-store.ts';
export type { KeyValueStorage } from './store/stored-value.ts';
