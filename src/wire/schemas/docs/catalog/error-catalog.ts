// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  ErrorCatalog,
  ErrorDetail,
  ErrorExample,
  ErrorRetry,
} from '../../../types/catalog/error-catalog.ts';
import type { Docs } from '../../record-schema.ts';

export const errorRetry: Docs<ErrorRetry> = {
  fields: {
    retryable: 'Whether a retry can succeed.',
    strategy: 'Name of the recommended retry strategy.',
    maxAttempts: 'Maximum number of attempts.',
  },
};

export const errorExample: Docs<ErrorExample> = {
  fields: {
    error: 'Error details.',
  },
};

export const errorDetail: Docs<ErrorDetail> = {
  fields: {
    object: 'Record type.',
    code: 'Error code.',
    httpStatus: 'HTTP status of responses with this code.',
    type: 'Error type.',
    title: 'Short human-readable title.',
    retry: 'Retry policy.',
    example: 'Example response.',
    support: 'Support guidance.',
  },
};

export const errorCatalog: Docs<ErrorCatalog> = {
  fields: {
    object: 'Record type.',
    data: 'Error codes.',
  },
};
