import { cellOf } from '../../batch/batch-state.ts';
import type { BatchState, Cell, Row } from '../../batch/batch-state.ts';

const names: Readonly<Record<Cell, string>> = {
  done: 'finished',
  working: 'in progress',
  sent: 'sent, without a response',
  interrupted: 'interrupted',
  gone: 'paid, result lost',
  waiting: 'not sent',
};

const marks: Readonly<Record<Cell, string>> = {
  done: '✓',
  working: '•',
  sent: '•',
  interrupted: '?',
  gone: '×',
  waiting: '',
};

/** One square for each image of a batch. */
export function Cells({ state }: { state: BatchState }) {
  const cells = state.rows.map((row) => cellOf(row, state));
  const summary = Object.entries(names).flatMap(([cell, name]) => {
    const count = cells.filter((other) => other === cell).length;
    return count === 0 ? [] : [`${count} ${name}`];
  });
  return (
    <div class="cells" role="img" aria-label={`Images: ${summary.join(', ')}`}>
      {state.rows.map((row, index) => (
        <CellSquare key={index} row={row} cell={cells[index] ?? 'waiting'} />
      ))}
    </div>
  );
}

function CellSquare({ row: { charges, sends }, cell }: { row: Row; cell: Cell }) {
  const isResent = sends.length > 1 && sends.at(-1)?.key !== undefined;
  return (
    <i data-cell={cell} data-twice={charges > 1} data-resent={isResent}>
      {charges > 1 ? `${charges}×` : marks[cell]}
    </i>
  );
}
