import { useRef } from 'preact/hooks';

import { fragment } from '../../state/view.ts';
import { KillABatch } from '../batch/kill-a-batch.tsx';
import { SetABudget } from '../batch/set-a-budget.tsx';
import { PullThePlug } from '../plug/pull-the-plug.tsx';
import { SceneTabs } from './scene-tabs.tsx';

type Scene = 'plug' | 'kill' | 'budget';

const labels = [
  ['plug', 'Pull the plug'],
  ['kill', 'Kill a batch'],
  ['budget', 'Set a budget'],
] as const;

const scenes = {
  plug: {
    title: 'The response is lost. Who pays?',
    text: 'A request was carried out and charged, then the connection dropped. Pull the plug, and watch the invoices.',
    Content: PullThePlug,
  },
  kill: {
    title: 'The process is killed. Who pays again?',
    text: 'A batch has paid for some of its images, then its process dies. Kill it, run it again, and watch the invoices.',
    Content: KillABatch,
  },
  budget: {
    title: 'The budget is spent. What is sent?',
    text: 'A batch may not spend more than its budget. Run it until it pauses, then raise the budget.',
    Content: SetABudget,
  },
};

/** The first view: what happens to your money when a response is lost, a process is killed, or a budget is spent. */
export function StartView() {
  // The URL fragment names the scene, so a link to it and the back button work.
  const scene = labels.find(([name]) => name === fragment.value)?.[0] ?? 'plug';
  // A scene continues while another one is shown.
  const opened = useRef(new Set<Scene>());
  opened.current.add(scene);
  const { title, text } = scenes[scene];
  const select = (next: Scene) => {
    location.hash = next;
  };
  return (
    <section class="start" aria-labelledby="start-title">
      <SceneTabs scenes={labels} current={scene} onSelect={select} />
      <header class="start-head">
        <h1 id="start-title">{title}</h1>
        <p>{text}</p>
      </header>
      {labels.map(([name]) => {
        const { Content } = scenes[name];
        return (
          <div
            key={name}
            id={`scene-${name}`}
            role="tabpanel"
            aria-labelledby={`tab-${name}`}
            hidden={name !== scene}
          >
            {opened.current.has(name) && <Content />}
          </div>
        );
      })}
    </section>
  );
}
