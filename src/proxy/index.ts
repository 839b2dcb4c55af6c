export { createProxyHandler } from './handler.ts';
export type { ProxyCall, ProxyOptions, ProxyResponse } from './options.ts';
export { defaultRoutes, ownerRoutes } from './routes.ts';
export type { ProxyRoute } from './routes.ts';
