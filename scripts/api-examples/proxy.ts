/** Examples of the API reference for `polygate/proxy`. */
import { createProxyHandler, defaultRoutes, memoryStore, ownerRoutes } from 'polygate/proxy';
import type { ProxyOptions, Store, UserBudget } from 'polygate/proxy';

declare const options: ProxyOptions;
declare const store: Store;

// For ProxyOptions, ProxyHandler
export function route() {
  const handler = createProxyHandler({
    baseURL: 'https://gateway.example',
    apiKey: process.env['POLYGATE_API_KEY'] ?? '',
    authorize: (request) => request.headers.get('x-user') ?? false,
  });
  return { GET: handler, POST: handler };
}

// For UserLimits, LimitWindow, UserUsage
export async function limitUsers() {
  const handler = createProxyHandler({ ...options, limits: { usd: 5, window: '30d' } });
  const { usd, inFlight, windowEndsAt } = await handler.usage('ann');
  console.log(`${usd} USD until ${windowEndsAt.toISOString()}, ${inFlight} in flight`);
}

// For UserBudget
export async function showBudget() {
  const response = await fetch('/api/gateway/budget'); // the option `budgetPath`
  const { remainingUsd = Infinity, windowEndsAt }: UserBudget = await response.json();
  return `${remainingUsd} USD left until ${windowEndsAt}`;
}

// For memoryStore, Store
export function ownStore() {
  return createProxyHandler({ ...options, store: memoryStore(), limits: { requests: 100 } });
}

// For ProxyCall, ProxyResponse
export function logCalls() {
  return createProxyHandler({
    ...options,
    onResponse: ({ user, route: name, status, outcome, chargeUsd }) =>
      console.log(user, name, status, outcome, chargeUsd),
  });
}

// For defaultRoutes, ownerRoutes, ProxyRoute
export function allowMore() {
  const images = defaultRoutes.filter((name) => name.includes('/images/'));
  return createProxyHandler({ ...options, allow: [...images, ...ownerRoutes] });
}

// For Reservation, ReserveResult, StoredLimits, Refusal
export async function reserve() {
  const { refused, spentUsd } = await store.reserve({
    user: 'ann',
    request: 'req_1',
    body: 'hash of the body',
    isChargedOnce: true,
    leaseMs: 60_000,
    usd: 0.04,
    limits: { usd: 5, windowMs: 86_400_000 },
  });
  console.log(refused ?? 'reserved', spentUsd);
}

// For Settlement, SettledAs
export async function settle() {
  await store.settle({
    as: 'charged',
    user: 'ann',
    request: 'req_1',
    body: 'hash of the body',
    isChargedOnce: true,
    isEstimate: false,
    isStreaming: false,
    replay: false,
    usd: 0.04,
    windowMs: 86_400_000,
  });
}

// For StoredUsage
export async function readUsage() {
  const { usd, reservedUsd, inFlight } = await store.usage('ann', 86_400_000);
  console.log(usd, reservedUsd, inFlight);
}
