import { estimate } from 'polygate';
import { useState } from 'preact/hooks';

import { startJob } from '../../state/jobs.ts';
import { Choice } from '../parts/choice.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { useModel } from '../parts/use-model.ts';
import { Gallery } from './gallery.tsx';
import { resolutionsOf } from './resolutions.ts';

const lighting = ['at dawn', 'at noon', 'at dusk', 'at night', 'in fog'];
const styles = ['in ink', 'in oil', 'as a linocut', 'from above'];

/** Returns different versions of a prompt. */
function variations(prompt: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const light = lighting[index % lighting.length];
    const style = styles[Math.floor(index / lighting.length) % styles.length];
    return `${prompt}, ${light}, ${style}`;
  });
}

/** Generates images. */
export function ImagesView() {
  const [model, setModel] = useModel('image');
  const [prompt, setPrompt] = useState('A harbor at dawn, boats at rest');
  const [chosen, setResolution] = useState('1K');
  const resolutions = resolutionsOf(model);
  const resolution = resolutions.includes(chosen) ? chosen : resolutions[0];
  const requestFor = (text: string) =>
    model && ({ kind: 'image', params: { model: model.id, prompt: text, resolution } } as const);
  const generate = (text: string) => {
    const request = requestFor(text);
    if (request !== undefined) startJob(request);
  };
  return (
    <section aria-labelledby="images-title">
      <header class="view-head">
        <h1 id="images-title">Images</h1>
      </header>
      <CreateForm
        main={{ label: 'Prompt', value: prompt, onChange: setPrompt }}
        model={{ purpose: 'image', value: model?.id, onChange: setModel }}
        call={requestFor(prompt)}
        action="Generate"
        price={estimate.image(model?.pricing, { resolution })}
        isDisabled={model === undefined}
        onSubmit={() => generate(prompt)}
        buttons={
          <button
            type="button"
            class="secondary"
            disabled={model === undefined}
            title="More requests than the account allows in parallel: the client queues the rest"
            onClick={() => variations(prompt, 20).forEach(generate)}
          >
            Burst of 20
          </button>
        }
      >
        <Choice
          label="Resolution"
          options={resolutions.map((name) => [name, name] as const)}
          value={resolution ?? ''}
          onChange={setResolution}
        />
      </CreateForm>
      <Gallery kinds={['image']} emptyTitle="No images yet">
        Describe an image. A burst of 20 shows how requests wait for a slot.
      </Gallery>
    </section>
  );
}
