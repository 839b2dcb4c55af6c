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
export type {
  AccountBalance,
  AccountConcurrency,
  AccountModels,
  Account,
  ReadinessCheck,
  Readiness,
  QuotaBalance,
  KeyToken,
  KeyBalanceData,
  KeyBalance,
} from './types/catalog/account.ts';
export type {
  MusicParams,
  TimberWeight,
  SpeechInputParams,
  SpeechInput,
  SpeechParams,
} from './types/media/audio.ts';
export type {
  CapabilityEndpoint,
  CapabilityIdempotency,
  CapabilityWebhooks,
  Capabilities,
} from './types/catalog/capabilities.ts';
export type { Charge, Spend, ModelSpend } from './types/charge.ts';
export type {
  FinishReason,
  ChatImage,
  ChatCompletionMessage,
  ChatCompletionChoice,
  ChatUsage,
  ChatCompletion,
  ToolCallDelta,
  ChatCompletionDelta,
  ChatCompletionChunkChoice,
  ChatCompletionChunk,
} from './types/chat/completion.ts';
export type {
  CompletionOf,
  ChatSubmissionParams,
  ParseParams,
  ParsedCompletion,
  PartialDeep,
  StreamParams,
} from './types/chat/output.ts';
export type {
  TextPart,
  ImagePart,
  AudioPart,
  VideoPart,
  FilePart,
  RefusalPart,
  ContentPart,
  SystemMessage,
  UserMessage,
  AssistantMessage,
  AssistantToolCall,
  AssistantImage,
  ToolMessage,
  ChatMessage,
} from './types/chat/messages.ts';
export type {
  ToolCall,
  ToolDefinition,
  ToolChoice,
  NamedToolChoice,
  ResponseFormat,
  JsonSchemaFormat,
  TextFormat,
  JsonObjectFormat,
  ChatAudioParams,
  WebSearchOptions,
  ChatParams,
} from './types/chat/params.ts';
export type {
  Tool,
  ToolContext,
  RunParams,
  ToolRound,
  ToolRunProgress,
  ToolRun,
} from './types/chat/run.ts';
export type {
  ErrorRetry,
  ErrorExample,
  ErrorDetail,
  ErrorCatalog,
} from './types/catalog/error-catalog.ts';
export type {
  KnownErrorCode,
  ErrorCode,
  ErrorType,
  ErrorBody,
  ErrorEnvelope,
  KeyBalanceErrorEnvelope,
} from './types/catalog/error-codes.ts';
export type {
  ImageParams,
  ImageEditParams,
  ImageFromReferencesParams,
  ImageInput,
} from './types/media/images.ts';
export type { Journal } from './types/tasks/journal.ts';
export type {
  RealPerson,
  MaterialCreateFields,
  VisualMaterialCreateParams,
  AudioMaterialCreateParams,
  MaterialCreateParams,
  MaterialListQuery,
} from './types/media/material-params.ts';
export type {
  AssetUri,
  MaterialType,
  MaterialStatus,
  Material,
  AvailableMaterial,
  MaterialPageRecord,
} from './types/media/materials.ts';
export type { ResponseMeta, ConcurrencyMeta } from './types/meta.ts';
export { customModel } from './types/catalog/model-catalog.ts';
export type {
  CustomModel,
  ModelCatalog,
  ModelId,
  ModelResolution,
  ModelType,
} from './types/catalog/model-catalog.ts';
export type {
  Model,
  ModelListRecord,
  ModelList,
  AnthropicModel,
  AnthropicModelList,
  GeminiModel,
  GeminiModelList,
} from './types/catalog/models.ts';
export type {
  PricingQuery,
  PricingCatalogEntry,
  PricingCatalog,
} from './types/catalog/pricing-catalog.ts';
export type {
  ResolutionPrice,
  Prices,
  PricingProfile,
  PricingProfiles,
  Pricing,
} from './types/catalog/pricing.ts';
export type {
  ServiceMetrics,
  ServiceStatus,
  StatusQuery,
  RateLimitTier,
  BackoffPolicy,
  RateLimitPolicy,
  ChangelogEntry,
  Changelog,
  OpenApiDocument,
} from './types/catalog/public.ts';
export type { OpenString } from './types/schema.ts';
export type {
  StandardSchema,
  StandardJsonSchema,
  StandardResult,
  SchemaIssue,
} from './types/standard-schema.ts';
export type { OpenRow, WaitOptions, TaskUpdate, TaskHandle } from './types/tasks/task-handle.ts';
export type {
  TaskKind,
  TaskStatus,
  TaskError,
  TaskRecord,
  ImageTaskRecord,
  VideoTaskRecord,
  AudioTaskRecord,
  TaskRecords,
  Generation,
  GenerationFields,
  PendingGeneration,
  SucceededGeneration,
  FailedGeneration,
  Receipt,
} from './types/tasks/task.ts';
export type {
  Telemetry,
  TelemetryCall,
  TelemetryEvent,
  TelemetryGenerate,
  TelemetryOperation,
  TelemetryResult,
  TelemetrySpan,
  TelemetryWait,
} from './types/telemetry.ts';
export type {
  MediaUrl,
  MediaReference,
  VideoTextItem,
  VideoImageItem,
  VideoVideoItem,
  VideoAudioItem,
  VideoContentItem,
  VideoExtraBody,
  VideoParams,
  VideoContentParams,
  VideoInput,
} from './types/media/videos.ts';
export type {
  VoiceCloneParams,
  VoiceDesignParams,
  VoiceDesignAliasParams,
  VoiceDesignInput,
} from './types/media/voice-params.ts';
export type {
  Voice,
  VoiceListQuery,
  VoiceListRecord,
  VoiceList,
  BillingFacts,
  BillingContract,
  VoiceOutput,
  VoiceCreation,
} from './types/media/voices.ts';
