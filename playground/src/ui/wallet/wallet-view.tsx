import type { ModelSpend } from 'polygate';

import { account } from '../../state/account.ts';
import { charges, gateway } from '../../state/client.ts';
import { lab } from '../../state/lab.ts';
import { Empty } from '../parts/empty.tsx';
import { usd } from '../parts/money.tsx';
import { Invoice } from './invoice.tsx';

/** The account balance, the client's ledger and the gateway's invoice. */
export function WalletView() {
  const wallet = account.value;
  // `gateway.spend` has no change events, so reading `charges` renders the view again after each charge.
  const { totalUsd, byModel } = charges.value.length >= 0 ? gateway.spend : gateway.spend;
  return (
    <section aria-labelledby="wallet-title">
      <header class="view-head">
        <h1 id="wallet-title">Balance and charges</h1>
      </header>
      <dl class="totals">
        <div>
          <dt>Balance</dt>
          <dd>{wallet === undefined ? '…' : usd(wallet.balance.usd)}</dd>
          <dd class="muted">
            {wallet !== undefined && `equal to ¥${wallet.balance.cny.toFixed(2)}`}
          </dd>
        </div>
        <div>
          <dt>Spent by this page</dt>
          <dd>{usd(totalUsd)}</dd>
          <dd class="muted">since the page was loaded, without the AI SDK</dd>
        </div>
        <div>
          <dt>Concurrency</dt>
          <dd>{wallet?.concurrency.limit ?? '…'}</dd>
          <dd class="muted">parallel requests, {wallet?.concurrency.source ?? '…'}</dd>
        </div>
      </dl>
      <SpendByModel byModel={byModel} />
      <h2>Gateway invoice</h2>
      {lab.value?.invoice === undefined ? (
        <Empty title="Not available">Only the reference gateway provides its invoice.</Empty>
      ) : (
        <Invoice lines={lab.value.invoice} />
      )}
    </section>
  );
}

/** What each model has cost, the most expensive first. */
function SpendByModel({ byModel }: { byModel: ReadonlyMap<string, ModelSpend> }) {
  const rows = [...byModel].toSorted(([, a], [, b]) => b.usd - a.usd);
  const maxUsd = rows[0]?.[1].usd ?? 0;
  if (rows.length === 0) return null;
  return (
    <>
      <h2>Spending by model</h2>
      <ul class="bars">
        {rows.map(([model, { usd: amount, requests }]) => (
          <li key={model}>
            <span class="bar-name">{model || 'voices'}</span>
            <span class="bar" aria-hidden="true">
              <i style={{ width: `${maxUsd > 0 ? (amount / maxUsd) * 100 : 0}%` }} />
            </span>
            <span class="bar-count">{requests} ×</span>
            <span class="money">{usd(amount)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
