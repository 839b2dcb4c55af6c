import type { Line } from '../../../shared/lab.ts';
import { Empty } from '../parts/empty.tsx';
import { Money } from '../parts/money.tsx';
import { shortKey } from '../lab/short-key.ts';

/** The gateway's own bill, line by line, the newest first. */
export function Ledger({ lines }: { lines: readonly Line[] }) {
  if (lines.length === 0)
    return <Empty title="Nothing was charged">Every charge gets a line.</Empty>;
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Bill">
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
