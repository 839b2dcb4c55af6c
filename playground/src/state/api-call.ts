import type {
  ChatParams,
  MaterialCreateParams,
  VoiceCloneParams,
  VoiceDesignParams,
} from 'polygate';

import type { Problem } from '../../shared/problem.ts';
import type { GenerationRequest } from './generation-request.ts';

/** A call to the gateway that the page made, as "View code" shows it. */
export type ApiCall =
  | { kind: 'chat'; params: ChatParams; isAiSdk: boolean }
  | KeyedCall<GenerationRequest>
  | KeyedCall<{ kind: 'voice-clone'; params: VoiceCloneParams }>
  | KeyedCall<{ kind: 'voice-design'; params: VoiceDesignParams }>
  | KeyedCall<{ kind: 'material'; params: MaterialCreateParams }>;

/** A call with the idempotency key that it was sent with; undefined if it has not been sent. */
type KeyedCall<Request> = Request & { idempotencyKey?: string | undefined };

/** A new idempotency key. */
export const createKey = (): string => `page-${crypto.randomUUID()}`;

/** State of a form whose call creates a voice or a material. */
export interface Creation {
  isBusy: boolean;
  /** The error of the last call. */
  problem?: Problem | undefined;
  /** What the last call created, and the call. */
  done?: { text: string; call: ApiCall } | undefined;
}
