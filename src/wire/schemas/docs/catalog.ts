export * from './catalog/account.ts';
export * from './catalog/capabilities.ts';
export * from './catalog/error-catalog.ts';
export * from './catalog/error-codes.ts';
export * from './catalog/models.ts';
export * from './catalog/pricing-catalog.ts';
export * from './catalog/pricing.ts';
export * from './catalog/public.ts';
