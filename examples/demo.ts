/**
 * A ten-second tour: `npm run demo`. It uses a local reference gateway over a socket, so it needs no API key and no
 * network. If POLYGATE_API_KEY and POLYGATE_BASE_URL are set, it uses that service and spends real money.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { Polygate, PolygateError } from 'polygate';
import type { Charge, Model } from 'polygate';

import { bold, dim, field, red, row, title, usd, usdColumn } from './demo/screen.ts';
import { findService } from './demo/service.ts';
import { generateImage, showError, streamChat, triggerError } from './demo/steps.ts';
import { cheapest, estimateCost, isLocal } from './support/gateway.ts';

const interrupt = new AbortController();
const { signal } = interrupt;
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupt.abort());

const service = await findService();
const charges: Charge[] = [];
const gateway = new Polygate({
  apiKey: service.apiKey,
  baseURL: service.baseURL,
  allowInsecureBaseURL: isLocal(service.baseURL),
  onCharge: (charge) => charges.push(charge),
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
  const before = await showService();
  const [chatModel, imageModel] = await showModels();
  if (service.isReal) await announceCost([chatModel, imageModel]);

  await streamChat(gateway, chatModel.id, signal);
  await generateImage(gateway, imageModel.id, { ...service.pollTiming, signal });
  await triggerError(gateway, signal);
  await showCosts(before);
}

async function showService(): Promise<number | undefined> {
  title('Service', 'new Polygate()');
  const kind = service.isReal
    ? 'from POLYGATE_BASE_URL'
    : 'a local reference gateway, free of charge';
  field('gateway', `${service.baseURL}  ${dim(kind)}`);
  const balance = await readBalance();
  field('balance', usd(balance));
  return balance;
}

async function showModels(): Promise<[chat: Model, image: Model]> {
  title('Models', 'gateway.models.list()');
  const models = [...(await gateway.models.list({}, { signal }))];
  const maxRows = 12;
  const idWidth = Math.max(...models.slice(0, maxRows).map(({ id }) => id.length));
  for (const { type, id, pricing } of models.slice(0, maxRows)) {
    row([type ?? '', 5], [id, idWidth], [pricing?.text ?? '', 0]);
  }
  if (models.length > maxRows) row([`and ${models.length - maxRows} more`, 0]);
  return [cheapest(models, 'chat'), cheapest(models, 'image')];
}

/** Gives the user time to cancel before real money is spent. */
async function announceCost(models: readonly Model[]): Promise<void> {
  title('Estimated cost', 'starts in 5 seconds; press Ctrl-C to cancel');
  for (const model of models) {
    row([model.type, 5], [model.id, 32], [`about ${usd(estimateCost(model))}`, 0]);
  }
  if (process.stdout.isTTY) await pause(5_000, undefined, { signal });
}

async function showCosts(before: number | undefined): Promise<void> {
  title('Charges', 'onCharge, gateway.spend');
  const line = (label: string, details: string, amount: number | undefined): void =>
    row([label, 26], [details, 28], [usdColumn(amount), 0]);
  for (const charge of charges) line(charge.route, charge.model ?? '', charge.usd);
  line('gateway.spend', `${gateway.spend.requests} charged requests`, gateway.spend.totalUsd);
  line('balance', 'before', before);
  line('balance', 'after', await readBalance());
  if (service.isReal) return;
  console.log(dim('\n  To use a real service, set POLYGATE_API_KEY and POLYGATE_BASE_URL.'));
}

/** Account balance in USD. */
async function readBalance(): Promise<number | undefined> {
  const { balance } = await gateway.account.retrieve({ signal });
  return balance?.usd;
}
