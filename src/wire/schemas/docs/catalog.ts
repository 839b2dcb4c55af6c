export * from './catalog/account.ts';
export * from './catalog/errors.ts';
export * from './catalog/models.ts';
export * from './catalog/pricing.ts';
export * from './catalog/public.ts';
