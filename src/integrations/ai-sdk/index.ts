export { createPolygate } from './provider.ts';
export type { PolygateProvider, PolygateProviderSettings } from './provider.ts';
