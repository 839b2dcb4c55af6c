import { GenerationStore } from '../../src/integrations/react/store/generation-store.ts';
import { damagedText } from './damage.ts';
import { clientOf, openService, paramsOf, storageOf } from './driver.ts';
import type { Driver, Ending } from './driver.ts';

const storageKey = 'polygate:image:hero';
let worlds = 0;

/** Tabs with one storage, each of which generates one image. */
export const browser: Driver = {
  name: 'React',
  needsStorage: false,
  open() {
    const mock = openService();
    const items = new Map<string, string>();
    // Each world has locks of its own.
    worlds += 1;
    const name = `${storageKey}${worlds}`;
    return {
      mock,
      async start(run, held) {
        let isDead = false;
        const note = storageOf(run);
        const unlessDead = (work: () => unknown) => {
          if (isDead) return;
          note();
          work();
        };
        const storage = {
          getItem: (key: string) => items.get(key) ?? null,
          setItem: (key: string, value: string) => unlessDead(() => items.set(key, value)),
          removeItem: (key: string) => void (isDead || items.delete(key)),
        };
        // The locks of a tab end with it, so that its request must end, too.
        const die = async (): Promise<never> => {
          isDead = true;
          unmount();
          throw new TypeError('The tab was closed.');
        };
        const settings = { current: { namespace: clientOf(mock, run, held, die).images, storage } };
        const store = new GenerationStore(name, settings);
        const unmount = store.subscribe(() => undefined, settings);
        const ending = async (): Promise<Ending> => {
          try {
            const result = await store.generate(paramsOf(run.params));
            if (isDead) return 'dead';
            return result === undefined ? 'failed' : { taskId: result.id };
          } catch {
            return 'refused';
          } finally {
            unmount();
          }
        };
        return mock.clock.settle(ending());
      },
      rewrite: (change) => items.forEach((text, key) => items.set(key, change(text))),
      stored: () => [...items.values()].join('\n'),
      damage(damage) {
        for (const [key, text] of items) items.set(key, damagedText(text, damage));
        return items.size > 0;
      },
    };
  },
};
