/** Examples of the API reference for what the service reports about itself and the account. */
import type { KeyBalanceErrorEnvelope, Polygate } from 'polygate';

declare const gateway: Polygate;

// For Public, ServiceStatus, ServiceMetrics, StatusQuery
export async function showStatus() {
  const { overallStatus, metrics } = await gateway.public.status({ locale: 'en-US' });
  console.log(overallStatus, metrics.successRate);
}

// For Capabilities, CapabilityEndpoint, CapabilityIdempotency, CapabilityWebhooks
export async function showCapabilities() {
  const { endpoints = [], idempotency, webhooks } = await gateway.public.capabilities();
  for (const { method, path, auth } of endpoints) console.log(method, path, auth);
  console.log(idempotency?.header, webhooks?.enabled);
}

// For Changelog, ChangelogEntry
export async function showChanges() {
  const { data = [] } = await gateway.public.changelog();
  for (const { date, title, migration } of data) console.log(date, title, migration);
}

// For PricingCatalog, PricingCatalogEntry, PricingQuery
export async function showPrices() {
  const { data = [], currency } = await gateway.public.pricing({ type: 'image' });
  for (const { id, pricing } of data) console.log(id, pricing?.unitPriceUsd, currency);
}

// For RateLimitPolicy, RateLimitTier, BackoffPolicy
export async function showLimits() {
  const { tiers = [], backoff } = await gateway.public.rateLimits();
  for (const { id, concurrency } of tiers) console.log(id, concurrency);
  console.log(backoff?.initialMs);
}

// For OpenApiDocument
export async function showDocument() {
  const document = await gateway.public.openapi();
  console.log(document.openapi);
}

// For KeyBalance, KeyBalanceData, KeyToken, QuotaBalance
export async function showBalance() {
  const { data } = await gateway.account.balance();
  console.log(data.balance.display_amount, data.token.name, data.token.remain_quota);
}

// For KeyBalanceErrorEnvelope
export async function showRefusal(response: Response) {
  const { success, message }: KeyBalanceErrorEnvelope = await response.json();
  console.log(success, message);
}
