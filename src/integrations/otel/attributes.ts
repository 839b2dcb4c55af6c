// The names are written out because `@opentelemetry/semantic-conventions` has only deprecated copies of them. Their
// source is https://github.com/open-telemetry/semantic-conventions-genai.
import type { Attributes } from '@opentelemetry/api';
import { PolygateError } from 'polygate';
import type { TelemetryOperation, TelemetryResult, TelemetryCall } from 'polygate';

import { chatEndpoints } from '../../wire/endpoints/chat.ts';
import { findEndpoint } from '../../wire/endpoints/index.ts';
import { isFinalMaterialStatus } from '../../wire/types/media/material-status.ts';
import { omitUndefined } from '../../wire/types/schema.ts';
import { parseURL, textOf } from '../../wire/types/type-guards.ts';
import { fieldsOf, listOf, parseJson } from './content.ts';

/** Name of the span. It has few different values: templates instead of paths, and no ids. */
export function spanName(operation: TelemetryOperation, inference: Inference | undefined): string {
  if (operation.type !== 'call') return `${operation.type} ${operation.kind}`;
  if (inference === undefined) return `${operation.method} ${templateOf(operation)}`;
  const { model } = operation;
  return model === undefined ? inference : `${inference} ${model}`;
}

/** The attributes known at the start that spans and metrics share. */
export function sharedAttributes(
  operation: TelemetryOperation,
  inference: Inference | undefined,
): Attributes {
  return omitUndefined({
    'gen_ai.operation.name': inference,
    'gen_ai.provider.name': 'polygate',
    'gen_ai.request.model': operation.type === 'wait' ? undefined : operation.model,
    ...(operation.type === 'call' && serverAttributes(operation.baseURL)),
  });
}

function serverAttributes(baseURL: string): Attributes {
  const url = parseURL(baseURL);
  if (url === undefined) return {};
  const { hostname, port, protocol } = url;
  return {
    // Without the brackets of an IPv6 address.
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': Number(port) || (protocol === 'http:' ? 80 : 443),
  };
}

/** The attributes known at the start that only the span has. */
export function spanAttributes(operation: TelemetryOperation): Attributes {
  const isStream = operation.type === 'call' && operation.stream;
  const isTask = operation.type === 'wait' && operation.kind !== 'material';
  return {
    // The conventions set it only for streams.
    ...(isStream && { 'gen_ai.request.stream': true }),
    ...(isTask && { 'polygate.task_id': operation.id }),
  };
}

/** Id of the submitted task, or of the task of a `generate`. */
function taskIdOf(
  operation: TelemetryOperation,
  inference: Inference | undefined,
  { data, meta, error }: TelemetryResult,
): string | undefined {
  if (operation.type === 'wait' || inference === 'chat') return undefined;
  const isSubmission = operation.type === 'generate' || inference !== undefined;
  const { id, task_id: taskId } = fieldsOf(isSubmission ? data : undefined);
  const failed = PolygateError.is(error) ? error.task?.id : undefined;
  return textOf(id) ?? textOf(taskId) ?? meta?.().taskId ?? failed;
}

/** Attributes from the response to a chat or a submission, or from its error. */
export function resultAttributes(
  operation: TelemetryOperation,
  inference: Inference | undefined,
  result: TelemetryResult,
) {
  const { error, data } = result;
  const failure = PolygateError.is(error) ? fieldsOf(error) : {};
  const meta = operation.type === 'call' ? fieldsOf(result.meta?.() ?? failure.meta) : {};
  // A failed stream has received a part of its completion.
  const { id, model, choices, usage } = fieldsOf(inference && (data ?? failure.partial));
  const isChat = inference === 'chat';
  const { prompt_tokens: input, completion_tokens: output } = fieldsOf(isChat ? usage : undefined);
  const { idempotentReplay: replayed } = meta;
  return omitUndefined({
    'gen_ai.request.model': operation.type === 'wait' ? textOf(fieldsOf(data).model) : undefined,
    'gen_ai.response.id': isChat ? textOf(id) : undefined,
    'gen_ai.response.model': textOf(model),
    'gen_ai.response.finish_reasons': isChat ? finishReasons(choices) : undefined,
    'gen_ai.usage.input_tokens': numberOf(input),
    'gen_ai.usage.output_tokens': numberOf(output),
    'polygate.request_id': textOf(meta.requestId),
    'polygate.task_id': taskIdOf(operation, inference, result),
    'polygate.replayed': typeof replayed === 'boolean' ? replayed : undefined,
    'polygate.outcome': textOf(failure.outcome),
    'error.type': errorType(error) ?? failedWait(operation, data),
  });
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);

/** One reason per choice. The conventions report `error` for a choice that has ended without one. */
function finishReasons(choices: unknown): string[] | undefined {
  const reasons = listOf(choices).map((choice) => textOf(fieldsOf(choice).finish_reason));
  return reasons.length === 0 ? undefined : reasons.map((reason) => reason ?? 'error');
}

/** The class of the error. Its message is not recorded, because it may repeat the prompt. */
function errorType(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  return error instanceof Error ? error.name : '_OTHER';
}

/** The error of a wait that has ended with the record of a failed task or material. */
function failedWait(operation: TelemetryOperation, data: unknown): string | undefined {
  if (operation.type !== 'wait') return undefined;
  const status = textOf(fieldsOf(data).status) ?? '';
  if (operation.kind !== 'material') return status === 'failed' ? 'TaskFailedError' : undefined;
  return isFinalMaterialStatus(status) && status !== 'available'
    ? 'MaterialFailedError'
    : undefined;
}

/** What a model does in a call. The conventions have names for chats only, and allow others. */
export type Inference = 'chat' | `generate_${'image' | 'music' | 'speech' | 'video'}`;

/** What the model does in the operation; undefined for a call without a model, a wait and a `generate`. */
export function inferenceOf(operation: TelemetryOperation): Inference | undefined {
  if (operation.type !== 'call') return undefined;
  const { method, template, body } = operation;
  const endpoint = findEndpoint(method, template);
  if (endpoint === chatEndpoints.chat.create) return 'chat';
  if (endpoint?.kind !== 'audio') return endpoint?.kind && `generate_${endpoint.kind}`;
  // Music and speech share a route. Specification: Audio, POST /audio/tasks.
  const { text, input } = fieldsOf(parseJson(body));
  return (text ?? input) === undefined ? 'generate_music' : 'generate_speech';
}

/** The path template of a call. Ids would give each span a different name. */
function templateOf({ method, template }: TelemetryCall): string {
  if (method === 'POST' || template.includes('{')) return template;
  return findEndpoint('GET', template)?.path ?? template;
}
