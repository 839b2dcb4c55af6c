import { useRef } from 'preact/hooks';

interface SceneTabsProps<Name extends string> {
  scenes: readonly (readonly [name: Name, label: string])[];
  current: Name;
  onSelect: (name: Name) => void;
}

/** Tabs for the scenes of the first view. Arrow keys move between them. */
export function SceneTabs<Name extends string>(props: SceneTabsProps<Name>) {
  const { scenes, current, onSelect } = props;
  const list = useRef<HTMLDivElement>(null);
  const position = scenes.findIndex(([name]) => name === current);
  const move = (event: KeyboardEvent) => {
    const next = { ArrowRight: position + 1, ArrowLeft: position - 1, Home: 0, End: -1 }[event.key];
    const [name] = (next === undefined ? undefined : scenes.at(next % scenes.length)) ?? [];
    if (name === undefined) return;
    event.preventDefault();
    onSelect(name);
    list.current?.querySelector<HTMLElement>(`#tab-${name}`)?.focus();
  };
  return (
    <div ref={list} class="scene-tabs" role="tablist" aria-label="Scenes" onKeyDown={move}>
      {scenes.map(([name, label]) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={name === current}
          aria-controls={`scene-${name}`}
          tabIndex={name === current ? 0 : -1}
          onClick={() => onSelect(name)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
