// Errors
export * from './errors/index.ts';

// The client, streams and helpers
export { Polygate } from './client.ts';
export { ChatStream } from './core/chat/chat-stream.ts';
export { Stream } from './core/stream/stream.ts';
export { assumptions } from './core/config/assumptions.ts';
export { estimate } from './core/limits/estimate.ts';
export { extractImages } from './core/chat/extract-images.ts';
export { parseMaterialCallback } from './core/tasks/material-callback.ts';
export { blockers } from './resources/account.ts';

// Types of errors
export type { APIErrorDetails } from './errors/api.ts';
export type { ErrorDetails, Outcome } from './errors/base.ts';
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
export type { BatchResult } from './core/batch/batch-result.ts';
export type { BatchOptions, BatchRow } from './core/batch/batch.ts';
export type { RecoverOptions } from './core/batch/batch-context.ts';
export type { RawRequest } from './core/call/raw-request.ts';
export type { RequestOptions } from './core/call/request-options.ts';
export type { RequestPromise, WithResponse } from './core/call/request-promise.ts';
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
export type { DownloadProgress, DownloadResponse } from './core/tasks/download-body.ts';
export type { DownloadOptions, DownloadRange } from './core/tasks/download.ts';
export type { MaterialUpdate } from './core/tasks/material-wait.ts';
export type { Submission } from './core/tasks/submission.ts';
export type { GenerateOptions } from './core/tasks/submit.ts';
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
} from './schemas/account.ts';
export type {
  MusicParams,
  TimberWeight,
  SpeechInputParams,
  SpeechParams,
} from './schemas/audio.ts';
export type {
  CapabilityEndpoint,
  CapabilityIdempotency,
  CapabilityWebhooks,
  Capabilities,
} from './schemas/capabilities.ts';
export type { Charge, Spend, ModelSpend } from './schemas/charge.ts';
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
} from './schemas/chat-completion.ts';
export type {
  CompletionOf,
  ParseParams,
  ParsedCompletion,
  PartialDeep,
  StreamParams,
} from './schemas/chat-output.ts';
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
} from './schemas/chat-messages.ts';
export type {
  ToolCall,
  ToolDefinition,
  ToolChoice,
  ResponseFormat,
  ChatAudioParams,
  WebSearchOptions,
  ChatParams,
} from './schemas/chat-params.ts';
export type {
  Tool,
  ToolContext,
  RunParams,
  ToolRound,
  ToolRunProgress,
  ToolRun,
} from './schemas/chat-run.ts';
export type {
  ErrorRetry,
  ErrorExample,
  ErrorDetail,
  ErrorCatalog,
} from './schemas/error-catalog.ts';
export type {
  KnownErrorCode,
  ErrorCode,
  ErrorType,
  ErrorBody,
  ErrorEnvelope,
  KeyBalanceErrorEnvelope,
} from './schemas/error-codes.ts';
export type { ImageParams, ImageEditParams, ImageFromReferencesParams } from './schemas/images.ts';
export type { Journal } from './schemas/journal.ts';
export type {
  RealPerson,
  MaterialCreateFields,
  VisualMaterialCreateParams,
  AudioMaterialCreateParams,
  MaterialCreateParams,
  MaterialListQuery,
} from './schemas/material-params.ts';
export type {
  AssetUri,
  MaterialType,
  MaterialStatus,
  Material,
  AvailableMaterial,
  MaterialPageRecord,
} from './schemas/materials.ts';
export type { ResponseMeta, ConcurrencyMeta } from './schemas/meta.ts';
export type {
  Model,
  ModelListRecord,
  ModelList,
  AnthropicModel,
  AnthropicModelList,
  GeminiModel,
  GeminiModelList,
} from './schemas/models.ts';
export type {
  PricingQuery,
  PricingCatalogEntry,
  PricingCatalog,
} from './schemas/pricing-catalog.ts';
export type {
  ResolutionPrice,
  Prices,
  PricingProfile,
  PricingProfiles,
  Pricing,
} from './schemas/pricing.ts';
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
} from './schemas/public.ts';
export type { OpenString } from './schemas/schema.ts';
export type {
  StandardSchema,
  StandardJsonSchema,
  StandardResult,
  SchemaIssue,
} from './schemas/standard-schema.ts';
export type { OpenRow, WaitOptions, TaskUpdate, TaskHandle } from './schemas/task-handle.ts';
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
} from './schemas/task.ts';
export type {
  Telemetry,
  TelemetryCall,
  TelemetryEvent,
  TelemetryGenerate,
  TelemetryOperation,
  TelemetryResult,
  TelemetrySpan,
  TelemetryWait,
} from './schemas/telemetry.ts';
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
} from './schemas/videos.ts';
export type {
  VoiceCloneParams,
  VoiceDesignParams,
  VoiceDesignAliasParams,
} from './schemas/voice-params.ts';
export type {
  Voice,
  VoiceListQuery,
  VoiceListRecord,
  VoiceList,
  BillingFacts,
  BillingContract,
  VoiceOutput,
  VoiceCreation,
} from './schemas/voices.ts';
