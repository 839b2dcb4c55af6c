import { estimate } from 'polygate';
import type { VideoParams } from 'polygate';
import { useState } from 'preact/hooks';

import { order } from '../../state/jobs.ts';
import { Choice } from '../parts/choice.tsx';
import { Field } from '../parts/field.tsx';
import { ModelSelect } from '../parts/model-select.tsx';
import { usd } from '../parts/money.tsx';
import { useModel } from '../parts/use-model.ts';
import { MaterialSelect } from '../materials/material-select.tsx';
import { Gallery } from './gallery.tsx';
import { resolutionsOf } from './resolutions.ts';

/** Films from words, and from materials of the library. */
export function VideoPlace() {
  const [model, choose] = useModel('video');
  const [prompt, setPrompt] = useState('Waves roll into a quiet bay');
  const [wanted, setResolution] = useState('720p');
  const [seconds, setSeconds] = useState('5');
  const [material, setMaterial] = useState('');
  const resolutions = resolutionsOf(model);
  const resolution = resolutions.includes(wanted) ? wanted : resolutions[0];
  const price = estimate.video(model?.pricing, { resolution, seconds: Number(seconds) });
  const film = () => {
    if (model === undefined) return;
    const params: VideoParams = { model: model.id, prompt, resolution, duration: Number(seconds) };
    if (material !== '') {
      const reference = {
        type: 'image_url',
        image_url: { url: material },
        role: 'reference_image',
      };
      params.content = [{ type: 'text', text: prompt }, reference];
    }
    order({ kind: 'video', params });
  };
  return (
    <section aria-labelledby="video-title">
      <header class="place-head">
        <h1 id="video-title">Video</h1>
      </header>
      <form
        class="maker"
        onSubmit={(event) => {
          event.preventDefault();
          film();
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
          <ModelSelect purpose="video" value={model?.id} onChange={choose} />
          <MaterialSelect value={material} onChange={setMaterial} />
          <Choice
            label="Resolution"
            options={resolutions.map((name) => [name, name] as const)}
            value={resolution ?? ''}
            onChange={setResolution}
          />
          <Choice label="Length" options={lengths} value={seconds} onChange={setSeconds} />
          <div class="maker-go">
            <button type="submit" class="primary" disabled={model === undefined}>
              Film {price !== undefined && <span class="price">{usd(price)}</span>}
            </button>
          </div>
        </div>
      </form>
      <Gallery kinds={['video']} emptyTitle="No films yet">
        A film takes a while. Leave the page if you like: it goes on, and comes back with you.
      </Gallery>
    </section>
  );
}

const lengths = [
  ['3', '3 s'],
  ['5', '5 s'],
  ['8', '8 s'],
] as const;
