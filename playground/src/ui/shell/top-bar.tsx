import { backend } from '../../backend/server.ts';
import { balanceUsd } from '../../state/account.ts';
import { connected, lab } from '../../state/lab.ts';
import { usd } from '../parts/money.tsx';
import { DocsLinks } from './docs-links.tsx';
import { Logo } from './logo.tsx';
import { Slots } from './slots.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

/** Shows the gateway, the use of concurrency slots and the balance. */
export function TopBar() {
  const balance = balanceUsd.value;
  return (
    <header class="top-bar">
      <a class="brand" href="#start" aria-label="polygate playground">
        <Logo />
        <span>
          <b>polygate</b> <span class="brand-suffix">playground</span>
        </span>
      </a>
      <GatewayName />
      <Slots />
      <a class="balance" href="#wallet" title="Balance">
        <span class="visually-hidden">Balance: </span>
        {balance === undefined ? '…' : usd(balance, 2)}
      </a>
      <DocsLinks />
      <ThemeToggle />
    </header>
  );
}

function GatewayName() {
  if (!connected.value) return <span class="gateway-name gateway-lost">Server unreachable</span>;
  if (lab.value === undefined) return <span class="gateway-name" />;
  const { kind, host } = lab.value.gateway;
  return (
    <span class="gateway-name">
      <i class="status-dot" aria-hidden="true" />
      <span class="gateway-host">
        {kind === 'real' ? host : 'Reference gateway'}
        {backend.isInPage && <span class="gateway-place">, in this page</span>}
      </span>
    </span>
  );
}
