export { useBudget } from './use-budget.ts';
export { useChat } from './use-chat.ts';
export { useGeneration } from './use-generation.ts';
export { useModels } from './use-models.ts';
export { useSpend } from './use-spend.ts';

export type { UserBudget } from 'polygate/proxy';

export type { UseBudget } from './use-budget.ts';
export type { UseChat } from './use-chat.ts';
export type { UseGeneration } from './use-generation.ts';
export type { UseModels } from './use-models.ts';
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
