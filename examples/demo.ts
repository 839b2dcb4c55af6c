/**
 * A tour in ten seconds: `npm run demo`. It starts a reference gateway and talks to it over a socket, so it needs no
 * key and no network. With POLYGATE_API_KEY and POLYGATE_BASE_URL set it talks to that service, for real money.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { Polygate, PolygateError } from 'polygate';
import type { Charge, Model } from 'polygate';

import { bad, bold, dim, fact, row, title, usd, usdColumn } from './demo/screen.ts';
import { findService } from './demo/service.ts';
import { chat, draw, explain, fail } from './demo/steps.ts';
import { cheapest, isLocal, likelyCost } from './support/gateway.ts';

const stopper = new AbortController();
const { signal } = stopper;
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stopper.abort());

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
  console.log(`\n${signal.aborted ? bold('Stopped') : bad('The demo failed')}`);
  if (!signal.aborted || PolygateError.is(error)) explain(error);
} finally {
  await service.close();
}

async function tour(): Promise<void> {
  console.log(`${bold('polygate')}  chat, images, video, music and speech through one client`);
  const before = await showService();
  const [chatModel, imageModel] = await showModels();
  if (service.real) await announce([chatModel, imageModel]);

  await chat(gateway, chatModel.id, signal);
  await draw(gateway, imageModel.id, { ...service.pace, signal });
  await fail(gateway, signal);
  await showCosts(before);
}

async function showService(): Promise<number | undefined> {
  title('Service', 'new Polygate()');
  const kind = service.real ? 'from POLYGATE_BASE_URL' : 'the reference gateway, free of charge';
  fact('gateway', `${service.baseURL}  ${dim(kind)}`);
  const wallet = await readWallet();
  fact('wallet', usd(wallet));
  return wallet;
}

async function showModels(): Promise<[chat: Model, image: Model]> {
  title('Models', 'gateway.models.list()');
  const models = [...(await gateway.models.list({}, { signal }))];
  const most = 12;
  const longest = Math.max(...models.slice(0, most).map(({ id }) => id.length));
  for (const { type, id, pricing } of models.slice(0, most)) {
    row([type ?? '', 5], [id, longest], [pricing?.text ?? '', 0]);
  }
  if (models.length > most) row([`and ${models.length - most} more`, 0]);
  return [cheapest(models, 'chat'), cheapest(models, 'image')];
}

/** Money is real from here on, so there is time to say no. */
async function announce(models: readonly Model[]): Promise<void> {
  title('What this is going to cost', 'Ctrl-C stops it, within 5 seconds');
  for (const model of models) {
    row([model.type, 5], [model.id, 32], [`about ${usd(likelyCost(model))}`, 0]);
  }
  if (process.stdout.isTTY) await pause(5_000, undefined, { signal });
}

async function showCosts(before: number | undefined): Promise<void> {
  title('What it cost', 'onCharge, gateway.spend');
  const line = (what: string, which: string, amount: number | undefined): void =>
    row([what, 26], [which, 28], [usdColumn(amount), 0]);
  for (const charge of charges) line(charge.route, charge.model ?? '', charge.usd);
  line('gateway.spend', `${gateway.spend.requests} charged requests`, gateway.spend.totalUsd);
  line('wallet', 'before', before);
  line('wallet', 'now', await readWallet());
  if (service.real) return;
  console.log(
    dim('\n  With POLYGATE_API_KEY and POLYGATE_BASE_URL set, this runs against a real service.'),
  );
}

/** What the wallet holds, USD. */
async function readWallet(): Promise<number | undefined> {
  const { balance } = await gateway.account.retrieve({ signal });
  return balance?.usd;
}
