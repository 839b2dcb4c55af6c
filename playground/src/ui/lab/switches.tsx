import type { FaultMode, FaultSwitch } from '../../../shared/lab.ts';
import { setFault } from '../../state/lab.ts';

const modes: readonly (readonly [FaultMode, string])[] = [
  ['off', 'Off'],
  ['once', 'Once'],
  ['often', 'Every 2nd'],
  ['always', 'Always'],
];

/** The switches that inject faults. */
export function Switches({ switches }: { switches: readonly FaultSwitch[] }) {
  const activeCount = switches.filter(({ mode }) => mode !== 'off').length;
  return (
    <details class="switches" open>
      <summary>
        Inject faults
        {activeCount > 0 && <span class="tag tag-lost">{activeCount} on</span>}
      </summary>
      {switches.some(({ mode }) => mode === 'often') && (
        <p class="switches-note muted">Every 2nd: the 1st, 3rd, … attempt of each call.</p>
      )}
      <ul>
        {switches.map((fault) => (
          <Switch key={fault.id} fault={fault} />
        ))}
      </ul>
    </details>
  );
}

function Switch({ fault: { id, title, description, mode, fired } }: { fault: FaultSwitch }) {
  return (
    <li class="switch" data-mode={mode} title={description}>
      <label for={id}>
        <b>
          {title} {fired > 0 && <span class="switch-count">{fired}×</span>}
        </b>
        <span class="switch-description muted">{description}</span>
      </label>
      <select
        id={id}
        value={mode}
        onChange={({ currentTarget }) => {
          const [chosen = 'off'] = modes.find(([name]) => name === currentTarget.value) ?? [];
          void setFault(id, title, chosen);
        }}
      >
        {modes.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </li>
  );
}
