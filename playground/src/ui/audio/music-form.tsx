import { useState } from 'preact/hooks';

import { startJob } from '../../state/jobs.ts';
import { Choice } from '../parts/choice.tsx';
import { CreateForm, TextArea } from '../parts/create-form.tsx';
import { useModel } from '../parts/use-model.ts';

/** Generates music, with or without lyrics. */
export function MusicForm() {
  const [model, setModel] = useModel('music');
  const [prompt, setPrompt] = useState('A slow waltz for harmonica and rain');
  const [lyrics, setLyrics] = useState('Boats come home, one by one');
  const [style, setStyle] = useState<'instrumental' | 'lyrics'>('instrumental');
  const vocals =
    style === 'lyrics' ? { lyrics, is_instrumental: false } : { is_instrumental: true };
  const request =
    model && ({ kind: 'music', params: { model: model.id, prompt, ...vocals } } as const);
  return (
    <CreateForm
      main={{ label: 'Prompt', value: prompt, onChange: setPrompt }}
      more={style === 'lyrics' && <TextArea label="Lyrics" value={lyrics} onChange={setLyrics} />}
      model={{ purpose: 'music', value: model?.id, onChange: setModel }}
      action="Generate"
      price={model?.pricing?.unitPriceUsd}
      isDisabled={model === undefined}
      call={request}
      onSubmit={() => request && startJob(request)}
    >
      <Choice label="Style" options={styles} value={style} onChange={setStyle} />
    </CreateForm>
  );
}

const styles = [
  ['instrumental', 'Instrumental'],
  ['lyrics', 'With lyrics'],
] as const;
