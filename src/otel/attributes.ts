// The names are written out because `@opentelemetry/semantic-conventions` has only deprecated copies of them. Their
// source is https://github.com/open-telemetry/semantic-conventions-genai.
import type { Attributes } from '@opentelemetry/api';
import { PolygateError } from 'polygate';
import type { TelemetryOperation, TelemetryResult } from 'polygate';

import { omitUndefined } from '../schemas/schema.ts';
import { isRecord, textOf } from '../schemas/type-guards.ts';

/** The fields of an object whose type is not known; none if it is something else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : {};

/** The elements of an array whose type is not known; none if it is something else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What a model does in the operation: in a chat or a submission, but in no other call. */
export const inferenceOf = (operation: TelemetryOperation) =>
  operation.type === 'call' ? operation.name : undefined;

/** Name of the span. It has few different values: templates instead of paths, and no ids. */
export function spanName(operation: TelemetryOperation): string {
  if (operation.type !== 'call') return `${operation.type} ${operation.kind}`;
  const { name, model, method, template } = operation;
  if (name === undefined) return `${method} ${template}`;
  return model === undefined ? name : `${name} ${model}`;
}

/** The attributes known at the start that metrics have, too. */
export function sharedAttributes(operation: TelemetryOperation): Attributes {
  return omitUndefined({
    'gen_ai.operation.name': inferenceOf(operation),
    'gen_ai.provider.name': 'polygate',
    'gen_ai.request.model': operation.model,
    ...(operation.type === 'call' && serverAttributes(operation.baseURL)),
  });
}

function serverAttributes(baseURL: string): Attributes {
  if (!URL.canParse(baseURL)) return {};
  const { hostname, port, protocol } = new URL(baseURL);
  return {
    // Without the brackets of an IPv6 address.
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': Number(port) || (protocol === 'http:' ? 80 : 443),
  };
}

/** The attributes known at the start that only the span has. */
export function spanAttributes(operation: TelemetryOperation): Attributes {
  const isStream = operation.type === 'call' && operation.name === 'chat' && operation.stream;
  const isTask = operation.type === 'wait' && operation.kind !== 'material';
  return {
    // The conventions set it only for streams.
    ...(isStream && { 'gen_ai.request.stream': true }),
    ...(isTask && { 'polygate.task_id': operation.id }),
  };
}

/** Id of the submitted task, or of the task of a `generate`. */
function taskIdOf(operation: TelemetryOperation, result: TelemetryResult): string | undefined {
  const { data, meta, error } = result;
  if (operation.type === 'wait' || inferenceOf(operation) === 'chat') return undefined;
  const isSubmission = operation.type === 'generate' || operation.name !== undefined;
  const { id, task_id: taskId } = fieldsOf(isSubmission ? data : undefined);
  const failed = PolygateError.is(error) ? error.task?.id : undefined;
  return textOf(id) ?? textOf(taskId) ?? meta?.taskId ?? failed;
}

/** What the response of a chat or a submission, or the error, says. */
export function resultAttributes(operation: TelemetryOperation, result: TelemetryResult) {
  const { error, data } = result;
  const failure = PolygateError.is(error) ? fieldsOf(error) : {};
  const meta = operation.type === 'call' ? fieldsOf(result.meta ?? failure.meta) : {};
  const { id, model, choices, usage } = fieldsOf(inferenceOf(operation) && data);
  const isChat = inferenceOf(operation) === 'chat';
  const { prompt_tokens: input, completion_tokens: output } = fieldsOf(isChat ? usage : undefined);
  const { idempotentReplay: replayed } = meta;
  return omitUndefined({
    'gen_ai.response.id': isChat ? textOf(id) : undefined,
    'gen_ai.response.model': textOf(model),
    'gen_ai.response.finish_reasons': isChat ? finishReasons(choices) : undefined,
    'gen_ai.usage.input_tokens': numberOf(input),
    'gen_ai.usage.output_tokens': numberOf(output),
    'polygate.request_id': textOf(meta.requestId),
    'polygate.task_id': taskIdOf(operation, result),
    'polygate.replayed': typeof replayed === 'boolean' ? replayed : undefined,
    'polygate.outcome': textOf(failure.outcome),
    'error.type': errorType(error),
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
