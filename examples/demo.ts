/**
 * A tour of half a minute: `npm run demo`. It uses a local reference gateway over a socket, so it needs no API key and
 * no network. If POLYGATE_API_KEY and POLYGATE_BASE_URL are set, it uses that service and spends real money; the parts
 * that need a service which loses responses are then left out.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { Polygate, PolygateError } from 'polygate';
import type { Model } from 'polygate';

import { crashAndRunAgain } from './demo/crash.ts';
import { showInvoice } from './demo/invoice.ts';
import { bold, dim, field, red, row, title, usd } from './demo/screen.ts';
import { findService } from './demo/service.ts';
import { generateImage, loseResponse, showError, streamChat } from './demo/steps.ts';
import { cheapest, estimateCost, isLocal } from './support/gateway.ts';

const interrupt = new AbortController();
const { signal } = interrupt;
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupt.abort());

const service = await findService();
const gateway = new Polygate({
  apiKey: service.apiKey,
  baseURL: service.baseURL,
  allowInsecureBaseURL: isLocal(service.baseURL),
});

try {
  await tour();
} catch (error) {
  process.exitCode = signal.aborted ? 130 : 1;
  console.log(`\n${signal.aborted ? bold('Stopped') : red('The demo failed')}`);
  if (!signal.aborted || PolygateError.is(error)) showError(error);
} finally {
  await service.close();
}

async function tour(): Promise<void> {
  console.log(`${bold('polygate')}  chat, images, video, music and speech with one client`);
  const models = await showService();
  const [chatModel, imageModel] = [cheapest(models, 'chat'), cheapest(models, 'image')];
  if (service.mock === undefined) await announceCost([chatModel, imageModel]);

  await streamChat(gateway, chatModel.id, signal);
  await generateImage(gateway, imageModel.id, { ...service.pollTiming, signal });
  if (service.mock === undefined) {
    showSpend();
    return;
  }
  await loseResponse(gateway, imageModel.id, { ...service.pollTiming, signal });
  await crashAndRunAgain(service.baseURL, service.mock, imageModel.id, signal);
  showInvoice(service.mock);
  showNextSteps();
}

async function showService(): Promise<readonly Model[]> {
  title('Service', 'new Polygate()');
  const kind = service.mock
    ? 'a local reference gateway, free of charge'
    : 'from POLYGATE_BASE_URL';
  field('gateway', `${service.baseURL}  ${dim(kind)}`);
  const [models, { balance }] = await Promise.all([
    gateway.models.list({}, { signal }),
    gateway.account.retrieve({ signal }),
  ]);
  const all = [...models];
  const types = new Set(all.flatMap(({ type }) => type ?? []));
  field('models', `${all.length}: ${[...types].join(', ')}`);
  field('balance', usd(balance?.usd));
  return all;
}

/** Gives the user time to cancel before real money is spent. */
async function announceCost(models: readonly Model[]): Promise<void> {
  title('Estimated cost', 'starts in 5 seconds; press Ctrl-C to cancel');
  for (const model of models) {
    row([model.type, 5], [model.id, 32], [`about ${usd(estimateCost(model))}`, 0]);
  }
  if (process.stdout.isTTY) await pause(5_000, undefined, { signal });
}

function showSpend(): void {
  title('Charges', 'gateway.spend');
  const { byModel, totalUsd } = gateway.spend;
  for (const [model, spent] of byModel) row([model, 32], [usd(spent.usd), 0]);
  row(['total', 32], [usd(totalUsd), 0]);
  const advice = 'To see lost responses and killed processes, run it without POLYGATE_BASE_URL.';
  console.log(dim(`\n  ${advice}`));
}

function showNextSteps(): void {
  title('What to look at next');
  row(['npm run playground', 34], ['the same on a page, with faults', 0]);
  row(['README.md', 34], ['the first lines of code', 0]);
  row(['docs/payment-safety.md', 34], ['how no task is paid for twice', 0]);
  row(['node examples/queue/start.ts', 34], ['a batch on several machines', 0]);
  row(['npx polygate doctor', 34], ['check a real service before you use it', 0]);
}
