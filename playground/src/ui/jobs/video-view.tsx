import { estimate } from 'polygate';
import type { VideoParams } from 'polygate';
import { useState } from 'preact/hooks';

import { startJob } from '../../state/jobs.ts';
import { MaterialSelect } from '../materials/material-select.tsx';
import { Choice } from '../parts/choice.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { useModel } from '../parts/use-model.ts';
import { Gallery } from './gallery.tsx';
import { resolutionsOf } from './resolutions.ts';

/** Generates videos from a prompt and, optionally, a material. */
export function VideoView() {
  const [model, setModel] = useModel('video');
  const [prompt, setPrompt] = useState('Waves roll into a quiet bay');
  const [chosen, setResolution] = useState('720p');
  const [seconds, setSeconds] = useState('5');
  const [material, setMaterial] = useState('');
  const resolutions = resolutionsOf(model);
  const resolution = resolutions.includes(chosen) ? chosen : resolutions[0];
  const createRequest = () => {
    if (model === undefined) return undefined;
    const params: VideoParams = { model: model.id, prompt, resolution, duration: Number(seconds) };
    if (material !== '') {
      const reference = {
        type: 'image_url',
        image_url: { url: material },
        role: 'reference_image',
      } as const;
      params.content = [{ type: 'text', text: prompt }, reference];
    }
    return { kind: 'video', params } as const;
  };
  const request = createRequest();
  return (
    <section aria-labelledby="video-title">
      <header class="view-head">
        <h1 id="video-title">Video</h1>
      </header>
      <CreateForm
        main={{ label: 'Prompt', value: prompt, onChange: setPrompt }}
        model={{ purpose: 'video', value: model?.id, onChange: setModel }}
        action="Generate"
        price={estimate.video(model?.pricing, { resolution, seconds: Number(seconds) })}
        isDisabled={model === undefined}
        call={request}
        onSubmit={() => request && startJob(request)}
      >
        <MaterialSelect value={material} onChange={setMaterial} />
        <Choice
          label="Resolution"
          options={resolutions.map((name) => [name, name] as const)}
          value={resolution ?? ''}
          onChange={setResolution}
        />
        <Choice label="Duration" options={durations} value={seconds} onChange={setSeconds} />
      </CreateForm>
      <Gallery kinds={['video']} emptyTitle="No videos yet">
        A video takes a while. You can close the page: the job continues when you return.
      </Gallery>
    </section>
  );
}

const durations = [
  ['3', '3 s'],
  ['5', '5 s'],
  ['8', '8 s'],
] as const;
