import { estimate } from 'polygate';
import { useState } from 'preact/hooks';

import { startJob } from '../../state/jobs.ts';
import { areVoicesLoading, voices } from '../../state/voices.ts';
import { CreateForm } from '../parts/create-form.tsx';
import { Field } from '../parts/field.tsx';
import { useModel } from '../parts/use-model.ts';

/** Generates speech from text and a voice. */
export function SpeechForm() {
  const [model, setModel] = useModel('speech');
  const [text, setText] = useState('The tide is coming in. Mind the step.');
  const [voiceId, setVoiceId] = useState('');
  const compatible = voices.value.filter(({ compatible_models: models }) =>
    models.includes(model?.id ?? ''),
  );
  const voice = compatible.find(({ voice_id: id }) => id === voiceId) ?? compatible[0];
  const params = model && voice && { model: model.id, text, voice_id: voice.voice_id };
  const request = params && ({ kind: 'speech', params } as const);
  return (
    <CreateForm
      main={{ label: 'Text', value: text, onChange: setText }}
      model={{ purpose: 'speech', value: model?.id, onChange: setModel }}
      action="Generate"
      price={estimate.speech(model?.pricing, text)}
      isDisabled={voice === undefined}
      call={request}
      onSubmit={() => request && startJob(request)}
    >
      <Field label="Voice">
        <select
          value={voice?.voice_id ?? ''}
          onChange={({ currentTarget }) => setVoiceId(currentTarget.value)}
        >
          {voice === undefined && (
            <option value="">{areVoicesLoading.value ? 'Loading …' : 'None available'}</option>
          )}
          {compatible.map(({ voice_id: id, display_name: name, language }) => (
            <option key={id} value={id}>
              {name}, {language}
            </option>
          ))}
        </select>
      </Field>
    </CreateForm>
  );
}
