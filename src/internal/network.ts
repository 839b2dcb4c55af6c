/** What a failed `fetch` reveals: whether the request may have been received, and a message without its headers. */
export {
  networkAdvice,
  networkErrorMessage,
  networkOutcome,
} from '../client/http/network-error.ts';
