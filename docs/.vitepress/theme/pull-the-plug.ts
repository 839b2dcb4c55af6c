import { withBase } from 'vitepress';
import { defineComponent, h, onMounted, ref } from 'vue';

/** What the module of the playground exports. */
interface PlaygroundModule {
  mount: (element: HTMLElement) => void;
}

/** Views of the playground that show something else, by the fragments that open them. */
const scenes = [
  ['kill', 'Kill a batch'],
  ['budget', 'Set a budget'],
  ['video', 'Reload during a video'],
] as const;

/** The first view of the playground. It is loaded when it comes into view, because it contains a client and a gateway. */
export const PullThePlug = defineComponent({
  name: 'PullThePlug',
  setup() {
    const box = ref<HTMLElement>();
    const isLoading = ref(true);
    const hasFailed = ref(false);
    onMounted(() => {
      const element = box.value;
      if (element === undefined) return;
      const observer = new IntersectionObserver((entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        void load(element)
          .catch(() => {
            hasFailed.value = true;
          })
          .finally(() => {
            isLoading.value = false;
          });
      });
      observer.observe(element);
    });
    return () =>
      h('section', { class: 'pull-the-plug', 'aria-label': 'Pull the plug' }, [
        h('div', { ref: box, class: ['pull-the-plug-box', { loading: isLoading.value }] }),
        h('p', { class: 'pull-the-plug-more' }, [
          hasFailed.value ? 'The demonstration could not be loaded. ' : '',
          ...scenes.map(([fragment, label]) => playgroundLink(`#${fragment}`, label)),
          playgroundLink('', 'Open the playground'),
        ]),
      ]);
  },
});

/** A link to the playground, which is not a page of this site, so its router must not open it. */
function playgroundLink(fragment: string, label: string) {
  return h('a', { href: withBase(`/playground/${fragment}`), target: '_self' }, label);
}

async function load(element: HTMLElement): Promise<void> {
  const url = withBase('/playground/pull-the-plug.js');
  const { mount }: PlaygroundModule = await import(/* @vite-ignore */ url);
  mount(element);
}
