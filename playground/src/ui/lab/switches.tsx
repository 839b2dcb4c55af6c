import type { FaultMode, FaultSwitch } from '../../../shared/lab.ts';
import { turn } from '../../state/lab.ts';

const modes: readonly (readonly [FaultMode, string])[] = [
  ['off', 'Off'],
  ['once', 'Once'],
  ['often', 'Every 2nd'],
  ['always', 'Always'],
];

/** All that can go wrong, each with how often. */
export function Switches({ switches }: { switches: readonly FaultSwitch[] }) {
  const on = switches.filter(({ mode }) => mode !== 'off').length;
  return (
    <details class="switches" open>
      <summary>
        Make it misbehave
        {on > 0 && <span class="tag tag-lost">{on} on</span>}
      </summary>
      <ul>
        {switches.map((one) => (
          <Switch key={one.id} one={one} />
        ))}
      </ul>
    </details>
  );
}

function Switch({ one: { id, title, says, mode, fired } }: { one: FaultSwitch }) {
  return (
    <li class="switch" data-mode={mode}>
      <label for={id}>
        <b>
          {title} {fired > 0 && <span class="switch-count">{fired}×</span>}
        </b>
        <span class="soft">{says}</span>
      </label>
      <select
        id={id}
        value={mode}
        onChange={({ currentTarget }) => {
          const [chosen = 'off'] = modes.find(([name]) => name === currentTarget.value) ?? [];
          void turn(id, title, chosen);
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
