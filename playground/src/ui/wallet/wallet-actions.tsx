import { useState } from 'preact/hooks';

import type { LabWallet } from '../../../shared/lab.ts';
import { announce } from '../../state/announce.ts';
import { resetWallet, topUp } from '../../state/lab.ts';
import { Dialog } from '../parts/dialog.tsx';
import { usd } from '../parts/money.tsx';

const amounts = [5, 25];

/** Tops up and resets the wallet of the reference gateway. */
export function WalletActions({ wallet }: { wallet: LabWallet }) {
  const [isConfirming, setIsConfirming] = useState(false);
  const [note, setNote] = useState('');
  const add = async (amount: number) => {
    const isDone = await topUp(amount);
    setNote(isDone ? '' : 'The balance could not be changed.');
    if (isDone) announce(`${usd(amount)} was added.`);
  };
  const reset = async () => {
    const isDone = await resetWallet();
    setNote(isDone ? '' : 'Not reset: requests are in flight. Try again when they have ended.');
    if (isDone) announce(`The balance is ${usd(wallet.startUsd)}.`);
  };
  return (
    <>
      <div class="wallet-actions">
        {amounts.map((amount) => (
          <button
            key={amount}
            type="button"
            class="secondary small"
            onClick={() => void add(amount)}
          >
            Add {usd(amount)}
          </button>
        ))}
        <button type="button" class="secondary small" onClick={() => setIsConfirming(true)}>
          Reset …
        </button>
      </div>
      {note !== '' && (
        <p class="wallet-note" role="alert">
          {note}
        </p>
      )}
      {isConfirming && (
        <Dialog title="Reset the wallet?" onClose={() => setIsConfirming(false)}>
          <p>
            The balance returns to {usd(wallet.startUsd)}, and the invoice and the flight recorder
            are emptied. Results stay on the page.
          </p>
          {/* Submitting closes the dialog, which returns the focus. */}
          <form method="dialog" class="dialog-actions">
            <button type="submit" class="secondary">
              Cancel
            </button>
            <button type="submit" class="primary" onClick={() => void reset()}>
              Reset
            </button>
          </form>
        </Dialog>
      )}
    </>
  );
}
