import type { InvoiceLine } from '../../../shared/lab.ts';
import { shortKey } from '../lab/short-key.ts';
import { Empty } from '../parts/empty.tsx';
import { Money } from '../parts/money.tsx';

/** The gateway's invoice, the latest line first. */
export function Invoice({ lines }: { lines: readonly InvoiceLine[] }) {
  if (lines.length === 0)
    return <Empty title="No charges yet">Every charge and refund appears here.</Empty>;
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Invoice">
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Model</th>
            <th scope="col">Route</th>
            <th scope="col">Key</th>
            <th scope="col" class="number">
              USD
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.toReversed().map((line, index) => (
            <tr key={lines.length - index} data-kind={line.kind}>
              <td>{new Date(line.at).toLocaleTimeString()}</td>
              <td>{line.model}</td>
              <td>{line.route.replace('/v1', '')}</td>
              <td>
                <code>{shortKey(line.key)}</code>
              </td>
              <td class="number">
                <Money amount={line.usd} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
