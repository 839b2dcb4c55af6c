// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  Capabilities,
  CapabilityEndpoint,
  CapabilityIdempotency,
  CapabilityWebhooks,
} from '../../../types/catalog/capabilities.ts';
import type { Docs } from '../../record-schema.ts';

export const capabilityEndpoint: Docs<CapabilityEndpoint> = {
  fields: {
    method: 'HTTP method.',
    path: 'Path template.',
    auth: 'Whether the endpoint requires an API key.',
  },
};

export const capabilityIdempotency: Docs<CapabilityIdempotency> = {
  fields: {
    header: 'Header for generation requests.',
    materialsHeader: 'Header for material requests.',
  },
};

export const capabilityWebhooks: Docs<CapabilityWebhooks> = {
  fields: {
    enabled: 'Whether webhooks are enabled.',
    events: 'Event types.',
  },
};

export const capabilities: Docs<Capabilities> = {
  fields: {
    object: 'Record type.',
    version: 'Service version, such as `2026.05`.',
    endpoints: 'Available endpoints.',
    modalities: 'Supported modalities, such as `image`.',
    locales: 'Supported locales, such as `en-US`.',
    currencies: 'Supported currencies, such as `USD`.',
    idempotency: 'Names of the idempotency key headers.',
    webhooks: 'Webhook support.',
    limits: 'Limits, keyed by name.',
  },
};
