export { createProxyHandler } from './handler.ts';
export type { ProxyHandler, UserUsage } from './handler.ts';
export type { UserBudget } from './limits/budget.ts';
export type { LimitWindow, UserLimits } from './limits/user-limits.ts';
export type { ProxyCall, ProxyOptions, ProxyResponse } from './options.ts';
export { defaultRoutes, ownerRoutes } from './routes.ts';
export type { ProxyRoute } from './routes.ts';
export { memoryStore } from './store/memory-store.ts';
export type {
  Refusal,
  Reservation,
  ReserveResult,
  SettledAs,
  Settlement,
  Store,
  StoredLimits,
  StoredUsage,
} from './store/store.ts';
