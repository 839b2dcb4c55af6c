import { withBase } from 'vitepress';
import { defineComponent, h, onMounted, ref } from 'vue';

/** What the module of the playground exports. */
interface PlaygroundModule {
  mount: (element: HTMLElement) => void;
}

/** The first view of the playground. It is loaded when it comes into view, because it contains a client and a gateway. */
export const PullThePlug = defineComponent({
  name: 'PullThePlug',
  setup() {
    const box = ref<HTMLElement>();
    const hasFailed = ref(false);
    onMounted(() => {
      const element = box.value;
      if (element === undefined) return;
      const observer = new IntersectionObserver((entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        void load(element).catch(() => {
          hasFailed.value = true;
        });
      });
      observer.observe(element);
    });
    return () =>
      h('section', { class: 'pull-the-plug', 'aria-label': 'Pull the plug' }, [
        h('div', { ref: box, class: 'pull-the-plug-box' }),
        h('p', { class: 'pull-the-plug-more' }, [
          hasFailed.value ? 'The demonstration could not be loaded. ' : '',
          // Not a page of this site, so its router must not open it.
          h('a', { href: withBase('/playground/'), target: '_self' }, 'Open the playground'),
        ]),
      ]);
  },
});

async function load(element: HTMLElement): Promise<void> {
  const url = withBase('/playground/pull-the-plug.js');
  const { mount }: PlaygroundModule = await import(/* @vite-ignore */ url);
  mount(element);
}
