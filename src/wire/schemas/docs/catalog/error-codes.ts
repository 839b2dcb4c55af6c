// Generated from the doc comments of the interfaces by `npm run schema-docs`.
import type {
  ErrorBody,
  ErrorEnvelope,
  KeyBalanceErrorEnvelope,
} from '../../../types/catalog/error-codes.ts';
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
