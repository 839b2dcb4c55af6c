// Errors
export * from './errors/index.ts';

// The client, streams and helpers
export { Polygate } from './client.ts';
export type { BaseClient } from './base-client.ts';
export { ChatStream } from './client/chat/chat-stream.ts';
export { Stream } from './client/stream/stream.ts';
export { assumptions } from './client/config/assumptions.ts';
export { estimate } from './client/limits/prices.ts';
export { extractImages } from './client/chat/content.ts';
export { parseMaterialCallback } from './client/tasks/material.ts';
export { blockers } from './resources/account.ts';
export { customModel } from './wire/types/catalog/models.ts';

// Types of errors
export type { APIErrorDetails, ResponseValidationDetails } from './errors/responses.ts';
export type { ErrorDetails, ErrorReason, ModelAttempt, Outcome } from './errors/base.ts';
export type { StreamErrorDetails, StructuredOutputFailure } from './errors/chat.ts';

// Types of namespaces
export type * from './resources/index.ts';

// Types of options, tasks, batches and streams
export type { BatchOptions, RecoverOptions } from './client/batch/options.ts';
export type {
  AnySubmission,
  BatchRow,
  ChatRow,
  RowOf,
  BatchResult,
  ChatResult,
  RecoveredRow,
} from './client/batch/results.ts';
export type { BatchProgress } from './client/batch/progress.ts';
export { ChatSubmission } from './client/chat/chat-submission.ts';
export type { RawRequest } from './client/call/raw-request.ts';
export type { RequestOptions } from './client/call/request-options.ts';
export type { RequestPromise, WithResponse } from './client/call/request.ts';
export type { RunOptions } from './client/chat/tool-run.ts';
export type { Assumption } from './client/config/assumptions.ts';
export type { Clock } from './client/config/clock.ts';
export type { Logger, LogLevel } from './client/config/log.ts';
export type {
  AfterResponseHook,
  BeforeRequestHook,
  Budget,
  ChatClientOptions,
  Hooks,
  PolygateOptions,
} from './client/config/options.ts';
export type { ConcurrencyState } from './client/limits/concurrency.ts';
export type { KnownPrices } from './client/limits/prices.ts';
export type { ItemStream } from './client/stream/stream.ts';
export type { RelayedStreamOptions } from './client/stream/pending-stream.ts';
export type { DownloadProgress, DownloadResponse } from './client/tasks/download-body.ts';
export type { DownloadOptions, DownloadRange } from './client/tasks/download.ts';
export type { MaterialUpdate } from './client/tasks/material.ts';
export type { Submission } from './client/tasks/submission.ts';
export type { GenerateOptions } from './client/tasks/submit.ts';
export type { SubmittedTask, Task } from './client/tasks/task.ts';

// Types of requests and responses
export type * from './wire/types/index.ts';
