import type { ModelSpend } from 'polygate';

import { usd } from '../parts/money.tsx';

/** What each model has cost, the dearest first. */
export function SpendByModel({ byModel }: { byModel: ReadonlyMap<string, ModelSpend> }) {
  const rows = [...byModel].toSorted(([, one], [, other]) => other.usd - one.usd);
  const most = rows[0]?.[1].usd ?? 0;
  if (rows.length === 0) return null;
  return (
    <>
      <h2>By model</h2>
      <ul class="bars">
        {rows.map(([model, { usd: amount, requests }]) => (
          <li key={model}>
            <span class="bar-name">{model || 'voices'}</span>
            <span class="bar" aria-hidden="true">
              <i style={{ width: `${most > 0 ? (amount / most) * 100 : 0}%` }} />
            </span>
            <span class="bar-count">{requests} ×</span>
            <span class="money">{usd(amount)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
