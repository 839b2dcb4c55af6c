import { estimate } from 'polygate';
import { useState } from 'preact/hooks';

import { order } from '../../state/jobs.ts';
import { Choice } from '../parts/choice.tsx';
import { Field } from '../parts/field.tsx';
import { ModelSelect } from '../parts/model-select.tsx';
import { usd } from '../parts/money.tsx';
import { useModel } from '../parts/use-model.ts';
import { Gallery } from './gallery.tsx';
import { resolutionsOf } from './resolutions.ts';
import { variations } from './variations.ts';

/** Pictures from words. */
export function ImagesPlace() {
  const [model, choose] = useModel('image');
  const [prompt, setPrompt] = useState('A harbour at dawn, boats asleep');
  const [wanted, setResolution] = useState('1K');
  const resolutions = resolutionsOf(model);
  const resolution = resolutions.includes(wanted) ? wanted : resolutions[0];
  const price = estimate.image(model?.pricing, { resolution });
  const draw = (words: string) => {
    if (model === undefined) return;
    order({ kind: 'image', params: { model: model.id, prompt: words, resolution } });
  };
  return (
    <section aria-labelledby="images-title">
      <header class="place-head">
        <h1 id="images-title">Images</h1>
      </header>
      <form
        class="maker"
        onSubmit={(event) => {
          event.preventDefault();
          draw(prompt);
        }}
      >
        <Field label="Prompt">
          <textarea
            required
            rows={2}
            value={prompt}
            onInput={({ currentTarget }) => setPrompt(currentTarget.value)}
          />
        </Field>
        <div class="maker-row">
          <ModelSelect purpose="image" value={model?.id} onChange={choose} />
          <Choice
            label="Resolution"
            options={resolutions.map((name) => [name, name] as const)}
            value={resolution ?? ''}
            onChange={setResolution}
          />
          <div class="maker-go">
            <button
              type="button"
              class="quiet"
              disabled={model === undefined}
              title="More than the account may have in flight: the client queues the rest"
              onClick={() => variations(prompt, 20).forEach(draw)}
            >
              Burst of 20
            </button>
            <button type="submit" class="primary" disabled={model === undefined}>
              Draw {price !== undefined && <span class="price">{usd(price)}</span>}
            </button>
          </div>
        </div>
      </form>
      <Gallery kinds={['image']} emptyTitle="No pictures yet">
        Write what you want to see. A burst of 20 shows how requests wait for a slot.
      </Gallery>
    </section>
  );
}
