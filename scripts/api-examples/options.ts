/** Examples of the API reference for the options of a client, and for what it counts. */
import { Polygate, PolygateError } from 'polygate';
import type { Clock, Hooks, Logger } from 'polygate';

declare const gateway: Polygate;
declare const error: unknown;

// For PolygateOptions, LogLevel
export function configured() {
  return new Polygate({ timeout: 30_000, maxRetries: 3, logLevel: 'info' });
}

// For Budget
export function withBudget() {
  return new Polygate({ budget: { maxUsd: 5 } });
}

// For Hooks
export function withHooks() {
  const hooks: Hooks = {
    beforeRequest: [({ request }) => request.headers.set('x-app', 'harbor')],
  };
  return new Polygate({ hooks });
}

// For Logger
export function withLogger() {
  const write = (message: string) => console.log(JSON.stringify({ message }));
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  return new Polygate({ logger, logLevel: 'debug' });
}

// For Clock
export function withClock(clock: Clock) {
  return new Polygate({ clock });
}

// For Charge
export function logCharges() {
  return new Polygate({
    onCharge: ({ usd, route, replay }) => console.log(usd, route, replay ? 'replay' : ''),
  });
}

// For ModelSpend
export function listSpend() {
  const { byModel } = gateway.spend;
  for (const [model, { usd, requests }] of byModel) console.log(model, requests, usd);
}

// For Chat
export async function ask() {
  const { choices } = await gateway.chat.completions.create({
    model: 'aurora-chat',
    messages: [{ role: 'user', content: 'Why do ships float?' }],
  });
  console.log(choices[0]?.message.content);
}

// For Outcome
export function explain() {
  if (!PolygateError.is(error)) throw error;
  if (error.outcome === 'unknown') console.log('It may have been charged:', error.message);
}
