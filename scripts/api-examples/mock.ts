/** Examples of the API reference for `polygate/mock`. */
import { Polygate } from 'polygate';
import { createMockGateway } from 'polygate/mock';
import type { FaultRequest, MockGateway } from 'polygate/mock';

declare const mock: MockGateway;
declare const gateway: Polygate;

// For MockGatewayOptions, MockKey, KeyState
export function gatewayWithKeys() {
  return createMockGateway({
    seed: 1,
    concurrencyLimit: 2,
    keys: [
      { key: 'sk-ann', user: 'ann' },
      { key: 'sk-old', user: 'ann', state: 'disabled' },
    ],
  });
}

// For MockAssumptions
export function gatewayThatDiffers() {
  return createMockGateway({ assumptions: { A15: 'keep', A20: 'on' } });
}

// For TaskOptions, TaskOutcome, TaskSubmit
export function gatewayWithFailures() {
  return createMockGateway({
    tasks: {
      durationMs: 200,
      outcome: ({ prompt }) => (prompt.includes('storm') ? 'failed' : 'succeeded'),
    },
  });
}

// For MaterialOptions, MaterialOutcome
export function gatewayWithMaterials() {
  return createMockGateway({ materials: { durationMs: 100, outcome: 'failed' } });
}

// For Clock, MockClock
export async function waitWithoutWaiting() {
  const virtual = createMockGateway({ clock: 'virtual' });
  const { apiKey, baseURL, fetch, clock } = virtual;
  const client = new Polygate({ apiKey, baseURL, fetch, clock });
  const video = await clock.settle(
    client.videos.generate({ model: 'tide-video', prompt: 'A harbor' }),
  );
  console.log(video.urls[0]);
}

// For Fault, InjectedFault
export async function loseResponse() {
  const fault = mock.fail({ route: 'POST /v1/images/tasks', reset: 'after', times: 1 });
  await gateway.images.generate({ model: 'prism-image', prompt: 'A harbor' });
  console.log(fault.affectedRequests, mock.invoice.length);
}

// For FaultRequest
export function failOneUser() {
  const isAnn = ({ headers }: FaultRequest) => headers['authorization'] === 'Bearer sk-ann';
  return mock.fail({ status: 503, when: isAnn });
}

// For ScriptedReply, ScriptedToolCall, InjectedReply
export function callTool() {
  const reply = mock.reply({
    match: 'weather',
    toolCalls: [{ name: 'weather', arguments: { city: 'Lisbon' } }],
  });
  console.log(reply.requests);
}

// For InvoiceLine
export function printInvoice() {
  for (const { route, model, usd } of mock.invoice) console.log(route, model, usd);
}

// For MockRequest
export function printRequests() {
  for (const { method, path, headers } of mock.requests)
    console.log(method, path, headers['idempotency-key']);
}

// For MockTask
export function printTasks() {
  for (const { id, status, chargeUsd } of mock.tasks) console.log(id, status, chargeUsd);
}

// For ExchangeSummary, LostResponse
export function logExchanges() {
  return createMockGateway({
    onResponse: ({ method, path, status, lost, chargeUsd }) =>
      console.log(method, path, lost ?? status, chargeUsd),
  });
}
