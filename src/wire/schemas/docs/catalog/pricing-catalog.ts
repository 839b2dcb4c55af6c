// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  PricingCatalog,
  PricingCatalogEntry,
} from '../../../types/catalog/pricing-catalog.ts';
import type { Docs } from '../../record-schema.ts';

export const pricingCatalogEntry: Docs<PricingCatalogEntry> = {
  fields: {
    id: 'Model id to use in requests.',
    type: 'Model type.',
    pricing: 'Prices of the model.',
  },
};

export const pricingCatalog: Docs<PricingCatalog> = {
  fields: {
    object: 'Record type.',
    type: 'Model type that the catalog was filtered by.',
    currency: 'Currency of the prices.',
    data: 'Models and their prices.',
  },
};
