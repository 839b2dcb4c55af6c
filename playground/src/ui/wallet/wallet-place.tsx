import { account } from '../../state/account.ts';
import { charges, gateway } from '../../state/client.ts';
import { lab } from '../../state/lab.ts';
import { Empty } from '../parts/empty.tsx';
import { usd } from '../parts/money.tsx';
import { Ledger } from './ledger.tsx';
import { SpendByModel } from './spend-by-model.tsx';

/** The wallet, what this page spent by the client's count, and the gateway's bill. */
export function WalletPlace() {
  const wallet = account.value;
  // The ledger is a live view without events of its own: a charge is the moment to look.
  const { totalUsd, byModel } = charges.value.length >= 0 ? gateway.spend : gateway.spend;
  return (
    <section aria-labelledby="wallet-title">
      <header class="place-head">
        <h1 id="wallet-title">Wallet</h1>
      </header>
      <dl class="sums">
        <div>
          <dt>Balance</dt>
          <dd>{wallet === undefined ? '…' : usd(wallet.balance.usd)}</dd>
          <dd class="soft">
            {wallet !== undefined && `the same money as ¥${wallet.balance.cny.toFixed(2)}`}
          </dd>
        </div>
        <div>
          <dt>Spent by this page</dt>
          <dd>{usd(totalUsd)}</dd>
          <dd class="soft">since it was loaded, by the client’s ledger</dd>
        </div>
        <div>
          <dt>Concurrency</dt>
          <dd>{wallet?.concurrency.limit ?? '…'}</dd>
          <dd class="soft">requests at once, {wallet?.concurrency.source ?? '…'}</dd>
        </div>
      </dl>
      <SpendByModel byModel={byModel} />
      <h2>The gateway’s bill</h2>
      {lab.value?.invoice === undefined ? (
        <Empty title="Not shown">A real gateway keeps its bill to itself.</Empty>
      ) : (
        <Ledger lines={lab.value.invoice} />
      )}
    </section>
  );
}
