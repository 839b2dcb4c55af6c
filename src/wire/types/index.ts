/** The types of requests and responses that `polygate` exports. */
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
} from './catalog/account.ts';
export type {
  MusicParams,
  TimberWeight,
  SpeechInputParams,
  SpeechInput,
  SpeechParams,
} from './media/audio.ts';
export type {
  CapabilityEndpoint,
  CapabilityIdempotency,
  CapabilityWebhooks,
  Capabilities,
} from './catalog/capabilities.ts';
export type { Charge, Spend, ModelSpend } from './charge.ts';
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
} from './chat/completion.ts';
export type {
  CompletionOf,
  ChatSubmissionParams,
  ParseParams,
  ParsedCompletion,
  PartialDeep,
  StreamParams,
} from './chat/output.ts';
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
} from './chat/messages.ts';
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
  ChatCompletionParams,
  ChatParams,
  ChatStreamParams,
} from './chat/params.ts';
export type {
  Tool,
  ToolContext,
  RunParams,
  ToolRound,
  ToolRunProgress,
  ToolRun,
} from './chat/run.ts';
export type {
  ErrorRetry,
  ErrorExample,
  ErrorDetail,
  ErrorCatalog,
} from './catalog/error-catalog.ts';
export type {
  KnownErrorCode,
  ErrorCode,
  ErrorType,
  ErrorBody,
  ErrorEnvelope,
  KeyBalanceErrorEnvelope,
} from './catalog/error-codes.ts';
export type {
  ImageParams,
  ImageEditParams,
  ImageFromReferencesParams,
  ImageInput,
} from './media/images.ts';
export type { Journal } from './tasks/journal.ts';
export type {
  RealPerson,
  MaterialCreateFields,
  VisualMaterialCreateParams,
  AudioMaterialCreateParams,
  MaterialCreateParams,
  MaterialListQuery,
} from './media/material-params.ts';
export type {
  AssetUri,
  MaterialType,
  MaterialStatus,
  Material,
  AvailableMaterial,
  MaterialPageRecord,
} from './media/materials.ts';
export type { ResponseMeta, ConcurrencyMeta } from './meta.ts';
export type {
  CustomModel,
  ModelCatalog,
  ModelId,
  ModelResolution,
  ModelType,
} from './catalog/model-catalog.ts';
export type {
  Model,
  ModelListRecord,
  ModelList,
  AnthropicModel,
  AnthropicModelList,
  GeminiModel,
  GeminiModelList,
} from './catalog/models.ts';
export type {
  PricingQuery,
  PricingCatalogEntry,
  PricingCatalog,
} from './catalog/pricing-catalog.ts';
export type {
  ResolutionPrice,
  Prices,
  PricingProfile,
  PricingProfiles,
  Pricing,
} from './catalog/pricing.ts';
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
} from './catalog/public.ts';
export type { OpenString } from './schema.ts';
export type {
  StandardSchema,
  StandardJsonSchema,
  StandardResult,
  SchemaIssue,
} from './standard-schema.ts';
export type { OpenRow, WaitOptions, TaskUpdate, TaskHandle } from './tasks/task-handle.ts';
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
} from './tasks/task.ts';
export type {
  Telemetry,
  TelemetryCall,
  TelemetryEvent,
  TelemetryGenerate,
  TelemetryOperation,
  TelemetryResult,
  TelemetrySpan,
  TelemetryWait,
} from './telemetry.ts';
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
} from './media/videos.ts';
export type {
  VoiceCloneParams,
  VoiceDesignParams,
  VoiceDesignAliasParams,
  VoiceDesignInput,
} from './media/voice-params.ts';
export type {
  Voice,
  VoiceListQuery,
  VoiceListRecord,
  VoiceList,
  BillingFacts,
  BillingContract,
  VoiceOutput,
  VoiceCreation,
} from './media/voices.ts';
