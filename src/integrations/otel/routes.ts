import type { TelemetryCall, TelemetryOperation } from 'polygate';

import { createChatCompletion } from '../../wire/endpoints/catalog.ts';
import { findEndpoint } from '../../wire/endpoints/index.ts';
import { parseJson, fieldsOf } from './json.ts';

/** What a model does in a call. The conventions have names for chats only, and allow others. */
export type Inference = 'chat' | `generate_${'image' | 'music' | 'speech' | 'video'}`;

/** What the model does in the operation; undefined for a call without a model, a wait and a `generate`. */
export function inferenceOf(operation: TelemetryOperation): Inference | undefined {
  if (operation.type !== 'call') return undefined;
  const { method, template, body } = operation;
  const endpoint = findEndpoint(method, template);
  if (endpoint === createChatCompletion) return 'chat';
  if (endpoint?.kind !== 'audio') return endpoint?.kind && `generate_${endpoint.kind}`;
  // Music and speech share a route. Specification: Audio, POST /audio/tasks.
  const { text, input } = fieldsOf(parseJson(body));
  return (text ?? input) === undefined ? 'generate_music' : 'generate_speech';
}

/** The path template of a call. Ids would give each span a different name. */
export function templateOf({ method, template }: TelemetryCall): string {
  if (method === 'POST' || template.includes('{')) return template;
  return findEndpoint('GET', template)?.path ?? template;
}
