import type { InvoiceLine } from '../../../shared/lab.ts';
import { Empty } from '../parts/empty.tsx';
import { decimalsFor, Money } from '../parts/money.tsx';
import { shortKey } from './short-key.ts';

/** The gateway's invoice, the latest line first. */
export function Invoice({ lines }: { lines: readonly InvoiceLine[] }) {
  if (lines.length === 0)
    return <Empty title="No charges yet">Every charge and refund appears here.</Empty>;
  const decimals = decimalsFor(lines.map(({ usd }) => usd));
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Invoice">
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Model</th>
            <th scope="col" class="wide">
              Route
            </th>
            <th scope="col" class="wide">
              Idempotency key
            </th>
            <th scope="col" class="number">
              USD
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.toReversed().map((line, index) => (
            <tr key={lines.length - index} data-kind={line.kind}>
              <td>{new Date(line.at).toLocaleTimeString('en-GB')}</td>
              <td>
                {line.model}
                {line.kind === 'refund' && <span class="tag tag-available">refund</span>}
              </td>
              <td class="wide">{line.route.replace('/v1', '')}</td>
              <td class="wide">
                {line.key === undefined ? (
                  <span class="muted">none</span>
                ) : (
                  <code title={line.key}>{shortKey(line.key)}</code>
                )}
              </td>
              <td class="number">
                <Money amount={line.usd} decimals={decimals} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
