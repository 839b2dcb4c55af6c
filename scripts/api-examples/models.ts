/** Examples of the API reference for models and the metadata of responses. */
import type { Polygate } from 'polygate';

declare const gateway: Polygate;

// For ModelList
export async function listIds() {
  const { data } = await gateway.models.list();
  console.log(data.map(({ id }) => id));
}

// For ModelListQuery, AnthropicModelList, AnthropicModel
export async function listAsAnthropic() {
  const { data, has_more } = await gateway.models.list({ style: 'anthropic' });
  for (const { id, display_name } of data) console.log(id, display_name);
  console.log(has_more);
}

// For GeminiModelList, GeminiModel
export async function listAsGemini() {
  const { models } = await gateway.models.list({ style: 'gemini' });
  for (const { name, displayName } of models) console.log(name, displayName);
}

// For ResolutionPrice
export async function listResolutions() {
  const { pricing } = await gateway.models.retrieve('prism-image');
  for (const { resolution, unitPriceUsd } of pricing.resolutionPrices)
    console.log(resolution, unitPriceUsd);
}

// For PricingProfiles, PricingProfile
export async function showProfile() {
  const { pricing } = await gateway.models.retrieve('prism-image');
  console.log(pricing.profiles?.api?.unitPriceUsd);
}

// For AccountModels, AccountConcurrency, AccountBalance
export async function showAccount() {
  const { models, concurrency, balance } = await gateway.account.retrieve();
  console.log(models.available, concurrency.limit, balance.usd);
}

// For RequestPromise
export async function readStatus() {
  const response = await gateway.models.list().asResponse();
  console.log(response.status);
}

// For ResponseMeta, ConcurrencyMeta
export async function readMeta() {
  const { meta } = await gateway.account.retrieve().withResponse();
  console.log(meta.requestId, meta.chargeUsd, meta.concurrency?.remaining);
}
