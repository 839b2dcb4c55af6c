/** Example responses: one for each record of the specification, with all documented fields. */

const prices = {
  unitPriceUsd: 0.04,
  inputPricePer1kUsd: 0,
  outputPricePer1kUsd: 0,
  resolutionPrices: [
    {
      resolution: '1K',
      unitPriceUsd: 0.04,
      upstreamCostUsd: 0.03,
      suggestedRetailUsd: 0.05,
      enabled: true,
    },
  ],
};

export const pricing = {
  ...prices,
  priceContext: 'api',
  profiles: {
    api: {
      ...prices,
      estimatedChargeUsd: 0.04,
      billingUnit: 'image',
      priceContext: 'api',
      pricingRuleId: 'rule_7',
      source: 'catalog',
      text: '$0.04 per image',
    },
  },
  source: 'catalog',
  text: '$0.04',
  unitText: 'per image',
  ruleId: 'rule_7',
};

export const model = {
  id: 'harbor/painter-2',
  object: 'model',
  created: 0,
  owned_by: 'harbor',
  type: 'image',
  description: 'Paints harbors.',
  pricing,
};

export const modelList = { object: 'list', data: [model] };

export const anthropicModelList = {
  data: [
    {
      id: 'harbor-chat',
      type: 'model',
      display_name: 'Harbor Chat',
      created_at: '2026-05-01T00:00:00Z',
    },
  ],
  first_id: 'harbor-chat',
  last_id: 'harbor-chat',
  has_more: false,
};

export const geminiModelList = {
  models: [{ name: 'models/harbor-chat', displayName: 'Harbor Chat' }],
  nextPageToken: null,
};

export const account = {
  object: 'account',
  wallet: 'unified',
  balance: { usd: 12.5, cny: 90, shared: true },
  concurrency: { limit: 8, source: 'tier_enterprise' },
  models: { available: 42 },
};

export const readiness = {
  object: 'readiness',
  wallet: 'unified',
  status: 'ready',
  score: 100,
  summary: 'All checks passed.',
  checks: [
    { id: 'api_key', status: 'ready', required: true },
    { id: 'unified_wallet', status: 'ready', required: true },
  ],
};

export const keyBalance = {
  success: true,
  message: '',
  data: {
    object: 'api_key_balance',
    user_id: 7,
    balance: {
      quota: 6_250_000,
      amount: 12.5,
      display_amount: '$12.50',
      quota_per_unit: 500_000,
      quota_display_type: 'USD',
      currency_symbol: '$',
      exchange_rate: 1,
    },
    token: {
      id: 3,
      name: 'build server',
      remain_quota: 400_000,
      used_quota: 100_000,
      total_quota: 500_000,
      unlimited_quota: false,
      expired_time: -1,
      status: 1,
      model_limits_enabled: false,
      model_limits: {},
    },
  },
};

export const voice = {
  voice_id: 'voice_ann',
  display_name: 'Ann',
  language: 'English',
  description: 'A calm sailor.',
  source_type: 'voice_design',
  visibility: 'private',
  status: 'active',
  compatible_models: ['harbor-speech'],
  preview_audio_url: null,
  created_at: '2026-05-01T08:30:00Z',
};

export const voiceList = { object: 'audio.voice.list', model: 'harbor-speech', data: [voice] };

export const voiceCreation = {
  object: 'audio.voice',
  model: 'voice-design',
  task_id: 'task_9',
  voice_id: 'voice_ann',
  preview_audio_url: 'https://media.example/ann.mp3',
  voice,
  billing_contract: {
    billing_version: '1',
    public_model: 'voice-design',
    operation: 'audio.voice_design',
    settlement_policy: 'fixed_at_estimate',
    billing_stage: 'final',
    facts: { voice_designs: 1, preview_characters: 4 },
  },
  outputs: [{ url: 'https://media.example/ann.mp3', type: 'audio' }],
};

export const material = {
  id: 'mat_1',
  object: 'material',
  name: 'The quay',
  type: 'image',
  status: 'available',
  uri: 'asset://quay',
  preview_url: 'https://media.example/quay.png',
  created_at: '2026-07-29T10:00:00Z',
  available_at: '2026-07-29T10:00:20Z',
  expires_at: '2026-07-29T12:00:20Z',
};

export const materialInVerification = {
  ...material,
  status: 'verification_pending',
  uri: null,
  preview_url: null,
  verification_url: 'https://verify.example/1',
  verification_expires_at: '2026-07-29T10:30:00Z',
  available_at: null,
  expires_at: null,
};

export const materialPage = {
  object: 'material.list',
  data: [material],
  has_more: true,
  next_cursor: 'c_2',
};

export const serviceStatus = {
  object: 'service.status',
  overallStatus: 'degraded',
  title: 'Slow',
  summary: 'Videos take longer than usual.',
  metrics: {
    successRate: 99.2,
    activeApiRequests: 31,
    asyncPending: 12,
    webhookBacklog: 0,
    onlineModelCount: 42,
  },
};

export const capabilities = {
  object: 'service.capabilities',
  version: '2026.05',
  endpoints: [{ method: 'GET', path: '/v1/status', auth: false }],
  modalities: ['chat', 'image', 'video', 'audio'],
  locales: ['en-US'],
  currencies: ['USD', 'CNY'],
  idempotency: { header: 'x-idempotency-key', materialsHeader: 'Idempotency-Key' },
  webhooks: { enabled: true, events: ['video.task.completed'] },
  limits: { materialPageSize: 100 },
};

export const errorEnvelope = {
  error: {
    message: 'The concurrency limit is reached.',
    type: 'rate_limit_error',
    code: 'concurrency_limit_exceeded',
  },
};

export const keyBalanceErrorEnvelope = { success: false, message: 'Invalid token' };

export const errorDetail = {
  object: 'error.detail',
  code: 'concurrency_limit_exceeded',
  httpStatus: 429,
  type: 'rate_limit_error',
  title: 'Too many parallel requests',
  retry: { retryable: true, strategy: 'backoff', maxAttempts: 5 },
  example: errorEnvelope,
  support: 'Request a higher tier.',
};

export const errorCatalog = { object: 'error.catalog', data: [errorDetail] };

export const pricingCatalog = {
  object: 'pricing.catalog',
  type: 'image',
  currency: 'USD',
  data: [{ id: 'harbor/painter-2', type: 'image', pricing }],
};

export const rateLimitPolicy = {
  object: 'rate_limit.policy',
  tiers: [{ id: 'tier_enterprise', concurrency: 64 }],
  backoff: { strategy: 'exponential', initialMs: 500, maxMs: 8_000, jitter: true },
};

export const changelog = {
  object: 'changelog',
  version: '2026.05',
  data: [
    {
      version: '2026.05',
      date: '2026-05-01',
      type: 'added',
      title: 'Voice design',
      migration: 'Nothing to do.',
    },
  ],
};

export const openApiDocument = { openapi: '3.0.3', info: { title: 'Gateway' }, paths: {} };
