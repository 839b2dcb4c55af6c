export { createProxyHandler } from './handler.ts';
export type { ProxyAnswer, ProxyCall, ProxyOptions } from './options.ts';
export { defaultRoutes, ownerRoutes } from './routes.ts';
export type { ProxyRoute } from './routes.ts';
