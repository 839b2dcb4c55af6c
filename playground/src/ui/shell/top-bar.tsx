import { account } from '../../state/account.ts';
import { connected, lab } from '../../state/lab.ts';
import { Mark } from './mark.tsx';
import { Slots } from './slots.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

/** What one wants to see at any time: which gateway, how busy, how much money. */
export function TopBar() {
  const balance = account.value?.balance.usd;
  return (
    <header class="top-bar">
      <a class="brand" href="#chat" aria-label="polygate playground">
        <Mark />
        <span>
          <b>polygate</b> <span class="brand-rest">playground</span>
        </span>
      </a>
      <Which />
      <Slots />
      <a class="balance" href="#wallet" title="The wallet">
        <span class="unseen">Wallet: </span>
        {balance === undefined ? '$ …' : `$${balance.toFixed(2)}`}
      </a>
      <ThemeToggle />
    </header>
  );
}

function Which() {
  if (!connected.value) return <span class="which which-lost">Server not reachable</span>;
  if (lab.value === undefined) return <span class="which" />;
  const { kind, host } = lab.value.gateway;
  return (
    <span class="which">
      <i class="lamp" aria-hidden="true" />
      {kind === 'real' ? host : 'Reference gateway'}
    </span>
  );
}
