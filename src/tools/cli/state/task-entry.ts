import { createHash } from 'node:crypto';

import type { Receipt } from 'polygate';

import { isNonEmptyString, isRecord } from '../../../wire/types/type-guards.ts';
import type { Settings } from '../settings.ts';
import { serviceURL } from './service-url.ts';

/** The commands that generate something. */
export const generationKinds = ['image', 'video', 'music', 'speech'] as const;

/** What a command generates. */
export type GenerationKind = (typeof generationKinds)[number];

/** The request of a generation. */
export interface GenerationRequest {
  kind: GenerationKind;
  model: string;
  /** Prompt, or text of a speech. Requests such as edits of an image can do without. */
  prompt?: string | undefined;
  /** All other fields of the request. */
  params: Record<string, unknown>;
}

/** What the state folder contains about one task. */
export interface TaskEntry {
  v: 1;
  kind: GenerationKind;
  /** The service that the request was sent to. */
  baseURL: string;
  /** Identifies the API key without containing it: another account would pay for the request a second time. */
  account: string;
  idempotencyKey: string;
  /** Fingerprint of the request. */
  hash: string;
  createdAt: string;
  /** Template of the file names, as an absolute path. */
  output: string;
  /** The request. Kept only until its receipt is there, because it contains the prompt. */
  request?: GenerationRequest | undefined;
  /** The receipt, once the request was accepted. */
  receipt?: Receipt | undefined;
  /** How the task ended. */
  status?: 'succeeded' | 'failed' | undefined;
}

/** Identifies an API key of a service. */
export function accountOf({ baseURL, apiKey }: Pick<Settings, 'baseURL' | 'apiKey'>): string {
  return digest(`account ${serviceURL(baseURL)} ${apiKey.trim()}`).slice(0, 16);
}

/** Fingerprint of a request. */
export function hashOf(request: GenerationRequest): string {
  return digest(JSON.stringify(request));
}

/** Identifies a text, such as in the name of a file. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Parses an entry; undefined if the file is damaged or of another version. */
export function parseEntry(text: string): TaskEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isEntry(value) ? value : undefined;
}

function isEntry(value: unknown): value is TaskEntry {
  if (!isRecord(value) || value.v !== 1) return false;
  const { kind, baseURL, account, idempotencyKey, hash, createdAt, output } = value;
  return (
    generationKinds.some((known) => known === kind) &&
    [baseURL, account, idempotencyKey, hash, createdAt, output].every(isNonEmptyString) &&
    (value.request === undefined || isRequest(value.request)) &&
    (value.receipt === undefined || isRecord(value.receipt))
  );
}

function isRequest(value: unknown): value is GenerationRequest {
  if (!isRecord(value)) return false;
  const { kind, model, prompt, params } = value;
  return [kind, model, prompt ?? model].every(isNonEmptyString) && isRecord(params);
}
