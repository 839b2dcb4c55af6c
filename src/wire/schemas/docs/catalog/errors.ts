// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  ErrorBody,
  ErrorCatalog,
  ErrorDetail,
  ErrorEnvelope,
  ErrorExample,
  ErrorRetry,
  KeyBalanceErrorEnvelope,
} from '../../../types/catalog/errors.ts';
import type { Docs } from '../../record-schema.ts';

export const errorBody: Docs<ErrorBody> = {
  fields: {
    message: 'Human-readable message; contains only public information.',
    type: 'Error type.',
    code: 'Machine-readable error code.',
    param: 'Name of the invalid field, if the service reports it.',
  },
};

export const errorEnvelope: Docs<ErrorEnvelope> = {
  fields: {
    error: 'Error details.',
  },
};

export const keyBalanceErrorEnvelope: Docs<KeyBalanceErrorEnvelope> = {
  fields: {
    success: 'Always false.',
    message: 'Error message, such as `Invalid token`.',
  },
};

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
