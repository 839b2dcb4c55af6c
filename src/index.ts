// Errors
export * from './errors/index.ts';

// The client, streams and helpers
export { Polygate } from './client.ts';
export type { BaseClient } from './base-client.ts';
export { ChatStream } from './core/chat/chat-stream.ts';
export { Stream } from './core/stream/stream.ts';
export { assumptions } from './core/config/assumptions.ts';
export { estimate } from './core/limits/estimate.ts';
export { extractImages } from './core/chat/extract-images.ts';
export { parseMaterialCallback } from './core/tasks/materials/material-callback.ts';
export { blockers } from './resources/account.ts';
export { customModel } from './types/catalog/model-catalog.ts';

// Types of errors
export type { APIErrorDetails } from './errors/api.ts';
export type { ErrorDetails, ModelAttempt, Outcome } from './errors/base.ts';
export type { ResponseValidationDetails } from './errors/response-validation.ts';
export type { StreamErrorDetails } from './errors/stream.ts';
export type { StructuredOutputFailure } from './errors/structured-output.ts';

// Types of namespaces
export type { AccountNamespace } from './resources/account.ts';
export type { Audio, AudioKind } from './resources/audio.ts';
export type { Chat, ChatCompletions } from './resources/chat.ts';
export type { ImageRoute, Images } from './resources/images.ts';
export type {
  MaterialPage,
  Materials,
  RegisterOptions,
  Verification,
} from './resources/materials.ts';
export type { Models, ModelListQuery } from './resources/models.ts';
export type { Public } from './resources/public.ts';
export type { TaskNamespace } from './resources/task-namespace.ts';
export type { VideoRoute, Videos } from './resources/videos.ts';
export type { Voices } from './resources/voices.ts';

// Types of options, tasks, batches and streams
export type { BatchOptions, RecoverOptions } from './core/batch/options.ts';
export type { AnySubmission, BatchRow, ChatRow, RowOf } from './core/batch/results.ts';
export type { BatchResult, ChatResult, RecoveredRow } from './core/batch/results.ts';
export type { BatchProgress } from './core/batch/run/progress.ts';
export { ChatSubmission } from './core/chat/chat-submission.ts';
export type { RawRequest } from './core/call/request/raw-request.ts';
export type { RequestOptions } from './core/call/request/request-options.ts';
export type { RequestPromise, WithResponse } from './core/call/request/request-promise.ts';
export type { RunOptions } from './core/chat/tool-run.ts';
export type { Assumption } from './core/config/assumptions.ts';
export type { Clock } from './core/config/clock.ts';
export type { Logger, LogLevel } from './core/config/log.ts';
export type {
  AfterResponseHook,
  BeforeRequestHook,
  Budget,
  ChatClientOptions,
  Hooks,
  PolygateOptions,
} from './core/config/options.ts';
export type { ConcurrencyState } from './core/limits/concurrency-limiter.ts';
export type { KnownPrices } from './core/limits/estimate.ts';
export type { ItemStream } from './core/stream/stream.ts';
export type { RelayedStreamOptions } from './core/stream/relayed-stream.ts';
export type { DownloadProgress, DownloadResponse } from './core/tasks/downloads/download-body.ts';
export type { DownloadOptions, DownloadRange } from './core/tasks/downloads/options.ts';
export type { MaterialUpdate } from './core/tasks/materials/material-target.ts';
export type { Submission } from './core/tasks/submit/submission.ts';
export type { GenerateOptions } from './core/tasks/submit/generate.ts';
export type { SubmittedTask, Task } from './core/tasks/task.ts';

// Types of requests and responses
export type * from './types/index.ts';
