import { account, balanceUsd } from '../../state/account.ts';
import { lab } from '../../state/lab.ts';
import { differenceReason, spend } from '../../state/spend.ts';
import { Empty } from '../parts/empty.tsx';
import { decimalsFor, Money, usd } from '../parts/money.tsx';
import { Invoice } from './invoice.tsx';
import { WalletActions } from './wallet-actions.tsx';

/** The balance, what the client counted, and the gateway's invoice. */
export function WalletView() {
  const { wallet, invoice } = lab.value ?? {};
  const { concurrency } = account.value ?? {};
  const charged = (invoice ?? []).reduce((sum, line) => sum + line.usd, 0);
  return (
    <section aria-labelledby="wallet-title">
      <header class="view-head">
        <h1 id="wallet-title">Balance and charges</h1>
      </header>
      <dl class="totals">
        <div class="totals-balance">
          <dt>Balance</dt>
          <dd class="totals-value">
            {balanceUsd.value === undefined ? '…' : usd(balanceUsd.value)}
          </dd>
          <dd class="muted">
            <Yuan />
          </dd>
          {wallet && (
            <dd>
              <WalletActions wallet={wallet} />
            </dd>
          )}
        </div>
        <div>
          <dt>Counted by the client</dt>
          <dd class="totals-value">{usd(spend.value.totalUsd)}</dd>
          <dd class="muted">
            by <code>gateway.spend</code> since{' '}
            {wallet?.resetAt === undefined ? 'the page was loaded' : 'the reset'}
            {differenceReason.value !== undefined && <>. {differenceReason.value}</>}
          </dd>
        </div>
        {invoice && (
          <div>
            <dt>Charged by the gateway</dt>
            <dd class="totals-value">{usd(charged)}</dd>
            <dd class="muted">
              {invoice.length} {invoice.length === 1 ? 'line' : 'lines'} on the invoice below
            </dd>
          </div>
        )}
        <div>
          <dt>Concurrency</dt>
          <dd class="totals-value">{concurrency?.limit ?? '…'}</dd>
          <dd class="muted">
            parallel requests, by the rule <code>{concurrency?.source ?? '…'}</code>
          </dd>
        </div>
      </dl>
      <SpendByModel />
      <h2>Gateway invoice</h2>
      {invoice === undefined ? (
        <Empty title="Not available">Only the reference gateway provides its invoice.</Empty>
      ) : (
        <Invoice lines={invoice} />
      )}
    </section>
  );
}

/** The balance in CNY, as soon as the account was loaded again after the last change. */
function Yuan() {
  const { usd: loadedUsd, cny } = account.value?.balance ?? {};
  if (cny === undefined || loadedUsd !== balanceUsd.value) return <>equal to …</>;
  return <>equal to ¥{cny.toFixed(2)}</>;
}

/** What each model has cost, the most expensive first. */
function SpendByModel() {
  const rows = [...spend.value.byModel].toSorted(([, a], [, b]) => b.usd - a.usd);
  const maxUsd = rows[0]?.[1].usd ?? 0;
  if (rows.length === 0) return null;
  const decimals = decimalsFor(rows.map(([, row]) => row.usd));
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
            <Money amount={amount} decimals={decimals} />
          </li>
        ))}
      </ul>
    </>
  );
}
