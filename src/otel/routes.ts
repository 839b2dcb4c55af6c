import type { TelemetryCall, TelemetryOperation } from 'polygate';

import { parseJson, fieldsOf } from './json.ts';

/** What a model does in a call. The conventions have names for chats only, and allow others. */
export type Inference = 'chat' | `generate_${'image' | 'music' | 'speech' | 'video'}`;

/** The documented routes at which models work. Specification: Chat, Image generation, Video generation. */
const inferences = new Map<string, Inference>([
  ['/v1/chat/completions', 'chat'],
  ['/v1/images/generations', 'generate_image'],
  ['/v1/images/tasks', 'generate_image'],
  ['/v1/videos', 'generate_video'],
  ['/v1/video/generations', 'generate_video'],
  ['/v1/videos/generations', 'generate_video'],
]);

/** What the model does in the operation; undefined for a call without a model, a wait and a `generate`. */
export function inferenceOf(operation: TelemetryOperation): Inference | undefined {
  if (operation.type !== 'call' || operation.method !== 'POST') return undefined;
  const { template, body } = operation;
  if (template !== '/v1/audio/tasks') return inferences.get(template);
  // Music and speech share a route. Specification: Audio, POST /audio/tasks.
  const { text, input } = fieldsOf(parseJson(body));
  return (text ?? input) === undefined ? 'generate_music' : 'generate_speech';
}

/** A documented path that ends with an id, as `gateway.fetch` reports it. */
const pathWithId =
  /^(\/v1\/(models|errors|materials|videos|(?:images|videos?)\/generations|(?:audio|images)\/tasks)\/)(?!generations\/|\{).+$/;

const placeholders = new Map([
  ['models', '{model}'],
  ['errors', '{code}'],
  ['materials', '{material_id}'],
]);

/** The path template of a call. Ids would give each span a name of its own. */
export function templateOf({ method, template }: TelemetryCall): string {
  if (method === 'POST') return template;
  return template.replace(
    pathWithId,
    (_, start: string, resource: string) => start + (placeholders.get(resource) ?? '{id}'),
  );
}
