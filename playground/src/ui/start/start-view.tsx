import { useState } from 'preact/hooks';

import { KillABatch } from '../batch/kill-a-batch.tsx';
import { SetABudget } from '../batch/set-a-budget.tsx';
import { PullThePlug } from '../plug/pull-the-plug.tsx';
import { SceneTabs } from './scene-tabs.tsx';

type Scene = 'plug' | 'kill' | 'budget';

const labels = [
  ['plug', 'Pull the plug'],
  ['kill', 'Kill a batch'],
  ['budget', 'Set a limit'],
] as const;

const scenes = {
  plug: {
    title: 'The response is lost. Who pays?',
    text: 'A request was carried out and charged, then the connection dropped. Pull the plug, and watch the invoices.',
    Content: PullThePlug,
  },
  kill: {
    title: 'The process is killed. Who pays again?',
    text: 'A batch has paid for a part of its images, then its process dies. Kill it, run it again, and watch the invoices.',
    Content: KillABatch,
  },
  budget: {
    title: 'The limit is reached. What is sent?',
    text: 'A batch may not spend more than its limit. Run it until it pauses, then raise the limit.',
    Content: SetABudget,
  },
};

/** The scene that the URL fragment names, such as `#kill`. */
const linkedScene = (): Scene =>
  labels.find(([name]) => `#${name}` === location.hash)?.[0] ?? 'plug';

/** The first view: what happens to your money when a response is lost, a process is killed, or a limit is reached. */
export function StartView() {
  const [scene, setScene] = useState<Scene>(linkedScene);
  // A scene continues while another one is shown.
  const [opened, setOpened] = useState<readonly Scene[]>([scene]);
  const { title, text } = scenes[scene];
  const select = (next: Scene) => {
    setScene(next);
    if (!opened.includes(next)) setOpened([...opened, next]);
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
            {opened.includes(name) && <Content />}
          </div>
        );
      })}
    </section>
  );
}
