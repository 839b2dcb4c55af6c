/** The tables of the specification as plain data. The coverage table has a row for each entry. */

/** A documented field: its name, with `[]` for the items of a list, and its type. */
export interface Field {
  name: string;
  type: string;
}

/** Parses `name:type` pairs. */
function fields(text: string): readonly Field[] {
  return words(text).map((word) => {
    const [name = '', type = ''] = word.split(':');
    return { name, type };
  });
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter(Boolean);
}

const prices = (prefix: string) => `
  ${prefix}unitPriceUsd:number ${prefix}inputPricePer1kUsd:number
  ${prefix}outputPricePer1kUsd:number ${prefix}resolutionPrices:array
  ${prefix}resolutionPrices[].resolution:string ${prefix}resolutionPrices[].unitPriceUsd:number
  ${prefix}resolutionPrices[].upstreamCostUsd:number
  ${prefix}resolutionPrices[].suggestedRetailUsd:number
  ${prefix}resolutionPrices[].enabled:boolean`;

/** Response records and their fields. */
export const records = {
  Account: fields(`
    object:string wallet:string balance.usd:number balance.cny:number balance.shared:boolean
    concurrency.limit:number concurrency.source:string models.available:number`),
  Readiness: fields(`
    object:string wallet:string status:string score:number summary:string checks:array
    checks[].id:string checks[].status:string checks[].required:boolean`),
  'Service status': fields(`
    object:string overallStatus:string title:string summary:string metrics.successRate:number
    metrics.activeApiRequests:number metrics.asyncPending:number metrics.webhookBacklog:number
    metrics.onlineModelCount:number`),
  Model: fields(`
    id:string object:string created:number owned_by:string type:string description:string
    pricing:object`),
  'Pricing object': fields(`
    ${prices('')} priceContext:string profiles.api:object ${prices('profiles.api.')}
    profiles.api.estimatedChargeUsd:number profiles.api.billingUnit:string
    profiles.api.priceContext:string profiles.api.pricingRuleId:string profiles.api.source:string
    profiles.api.text:string source:string text:string unitText:string ruleId:string`),
  'Key balance record': fields(`
    success:boolean message:string data.object:string data.user_id:number
    data.balance.quota:number data.balance.amount:number data.balance.display_amount:string
    data.balance.quota_per_unit:number data.balance.quota_display_type:string
    data.balance.currency_symbol:string data.balance.exchange_rate:number data.token.id:number
    data.token.name:string data.token.remain_quota:number data.token.used_quota:number
    data.token.total_quota:number data.token.unlimited_quota:boolean
    data.token.expired_time:number data.token.status:number
    data.token.model_limits_enabled:boolean data.token.model_limits:object`),
  'Audio task': fields(`
    id:string task_id:string object:string status:string raw_status:string progress:string
    audio_url:string|null result:object|null result.audio_url:string result.outputs:array
    result.audios:array result.audios[].url:string error:object|null error.message:string
    model:string created_at:number`),
  Voice: fields(`
    voice_id:string display_name:string language:string description:string source_type:string
    visibility:string status:string compatible_models:array compatible_models[]:string
    preview_audio_url:string|null created_at:string`),
  'Voice creation result': fields(`
    object:string model:string task_id:string voice_id:string preview_audio_url:string
    voice:object billing_contract:object billing_contract.billing_version:string
    billing_contract.public_model:string billing_contract.operation:string
    billing_contract.settlement_policy:string billing_contract.billing_stage:string
    billing_contract.facts.voice_clones:number billing_contract.facts.voice_designs:number
    billing_contract.facts.preview_characters:number outputs:array outputs[].url:string
    outputs[].type:string`),
  Material: fields(`
    id:string object:string name:string type:string status:string uri:string|null
    preview_url:string|null verification_url:string verification_expires_at:string
    created_at:string|null available_at:string|null expires_at:string|null`),
  'Material list': fields(`
    object:string data:array has_more:boolean next_cursor:string`),
  'Error envelope': fields('error.message:string error.type:string error.code:string'),
  'Key balance error envelope': fields('success:boolean message:string'),
} as const;

/** Request bodies and query parameters. */
export const requests = {
  'Chat body': fields(`
    model:string messages:array messages[].role:string messages[].content:string stream:boolean
    extra_body:object extra_body.image_config.aspect_ratio:string`),
  'Image body': fields(`
    model:string prompt:string n:number size:string reference_image_urls:array task_type:string
    image:string aspect_ratio:string resolution:string output_format:string num_images:number`),
  'Video body': fields(`
    model:string prompt:string size:string resolution:string aspect_ratio:string duration:number
    image:string last_image:string images:array video:string content:array content[].type:string
    content[].text:string content[].image_url.url:string content[].role:string
    extra_body.generate_audio:boolean extra_body.negative_prompt:string extra_body.seed:number
    extra_body.operation:string extra_body.input_video_seconds:number`),
  'Music body': fields(`
    model:string prompt:string lyrics:string lyrics_optimizer:boolean is_instrumental:boolean
    audio_setting:object`),
  'Speech body': fields(`
    model:string text:string input:string voice_id:string voice:string speed:number volume:number
    pitch:number emotion:string language:string output_format:string response_format:string
    format:string sample_rate:number pronunciation_dict:object timber_weights:array
    subtitle_enable:boolean metadata:object extra_body:object audio_setting:object`),
  'Voice clone body': fields(`
    audio_url:string text:string preview_text:string display_name:string name:string
    language:string description:string noise_reduction:boolean
    need_volume_normalization:boolean accuracy:number|string`),
  'Voice design body': fields(`
    prompt:string preview_text:string text:string display_name:string name:string language:string
    description:string`),
  'Material create body': fields(`
    url:string type:string name:string real_person:object real_person.consent_confirmed:boolean
    real_person.callback_url:string`),
  'Material list query': fields('type:string status:string limit:number after:string'),
  'Status query': fields('locale:string'),
  'Pricing query': fields('type:string'),
  'Voice list query': fields('model:string'),
} as const;

/** Request and response headers. */
export const headers = {
  'Headers of GET /account': words(`
    x-request-id x-svc-wallet x-svc-balance-usd x-svc-balance-cny x-svc-concurrency-limit
    x-svc-concurrency-source`),
  'Headers of GET /readiness': words(`
    x-request-id x-svc-wallet x-svc-readiness-score x-svc-readiness-status
    x-svc-concurrency-limit`),
  'Headers of a chat response': words(`
    x-request-id x-svc-charge-usd x-svc-wallet x-svc-concurrency-limit
    x-svc-concurrency-remaining x-svc-concurrency-source`),
  'Headers of a generation response': words(`
    x-request-id x-svc-task-id x-svc-charge-usd x-svc-concurrency-limit
    x-svc-concurrency-remaining x-svc-concurrency-source x-svc-idempotent-replay`),
  'Headers of a request': words('authorization x-idempotency-key idempotency-key'),
} as const;

/** Endpoints with the statuses documented in their rows and in the error table. */
export const endpoints: Readonly<Record<string, readonly number[]>> = {
  'GET /v1/status': [200],
  'GET /v1/capabilities': [200],
  'GET /v1/errors': [200],
  'GET /v1/errors/{code}': [200, 404],
  'GET /v1/changelog': [200],
  'GET /v1/pricing': [200],
  'GET /v1/rate-limits': [200],
  'GET /v1/openapi.json': [200],
  'GET /v1/account': [200, 401, 403],
  'GET /v1/readiness': [200, 401, 403],
  'GET /v1/models': [200, 401, 403],
  'GET /v1/models/{model}': [200, 401, 403, 404],
  'GET /api/usage/balance': [200, 401, 403],
  'POST /v1/chat/completions': [200, 400, 401, 402, 403, 429, 500, 503],
  'POST /v1/images/generations': [202, 400, 401, 402, 403, 429, 503],
  'POST /v1/images/tasks': [202, 400, 401, 402, 403, 429, 503],
  'GET /v1/images/tasks/{taskId}': [200, 401, 403, 404],
  'POST /v1/videos': [202, 400, 401, 402, 403, 429, 503],
  'POST /v1/video/generations': [202, 400, 401, 402, 403, 429, 503],
  'POST /v1/videos/generations': [202, 400, 401, 402, 403, 429, 503],
  'POST /v1/audio/tasks': [202, 400, 401, 402, 403, 429, 503],
  'GET /v1/audio/tasks/{task_id}': [200, 401, 403, 404],
  'GET /v1/audio/voices': [200, 401, 403],
  'POST /v1/audio/voices/clone': [200, 400, 401, 402, 403, 429, 503],
  'POST /v1/audio/voices/design': [200, 400, 401, 402, 403, 429, 503],
  'POST /v1/materials': [202, 401, 403, 409],
  'GET /v1/materials/{material_id}': [200, 401, 403, 404],
  'GET /v1/materials': [200, 401, 403],
  'DELETE /v1/materials/{material_id}': [200, 202, 401, 403, 404],
};

/** Status values, and rows of the transition table. */
export const states = {
  'Material status': words(`
    creating verification_pending verification_failed verification_expired processing available
    failed delete_pending deleted`),
  'Material transition': [
    'created without a real person -> processing',
    'created with a real person -> verification_pending',
    'verification_pending -> processing',
    'processing -> available',
    'available -> archived after two hours',
    'any -> deleted or delete_pending',
    'verification_pending -> deleted',
    'terminal failure, replayed under its key',
    'deleted only in a delete response',
  ],
  'Audio task status': words('queued in_progress processing completed succeeded failed'),
  'Audio task raw_status': words('SUBMITTED IN_PROGRESS SUCCESS FAILURE'),
  'Terminal status of other tasks': words('succeeded completed failed'),
} as const;

/** Error codes. */
export const codes = words(`
  api_key_required invalid_request_parameter concurrency_limit_exceeded invalid_idempotency_key
  invalid_material_request invalid_material_cursor material_channel_unavailable
  material_idempotency_conflict material_not_found material_not_available material_not_managed
  visual_verification_consent_required invalid_visual_verification_request
  visual_verification_create_outcome_uncertain material_create_outcome_uncertain`);

/** Error messages of the key balance endpoint, by status. */
export const balanceMessages = ['401 Token not provided', '401 Invalid token', '403 Token invalid'];

/** Rows of the limits table, and the billing formulas below it. */
export const limits = [
  'Concurrency per key/account',
  'Over-limit behaviour',
  'Idempotency-Key length',
  'Material list page size',
  'Material lifetime',
  'Material poll interval',
  'Task poll interval',
  'speed',
  'sample_rate',
  'Billing length of speech',
  'Formula of a voice clone',
  'Formula of a voice design',
  'Listing voices is not billed',
  'Music is billed per output',
];

/** Rules outside the tables: authentication, events, materials, errors. */
export const rules = [
  'Public endpoints need no credentials',
  'Vendor-specific key headers on GET /models',
  'Model ids with slashes are encoded in the path',
  'asset:// URIs are allowed in structured media items, never in plain text',
  'A replayed key returns the task without charging again',
  'An alternative success shape has output.audio_url',
  'The callback carries exactly material_id and material_status',
  'Callback and verification URLs are not logged',
  'User lists exclude failed, deleted and expired records',
  'A failed audio task carries error.message',
  'An uncertain submit is retried with the original key',
  'Result URLs are not permanent',
];
