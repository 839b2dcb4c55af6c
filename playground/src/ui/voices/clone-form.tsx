import { estimate } from 'polygate';
import { useState } from 'preact/hooks';

import { cloneVoice, voiceCreation } from '../../state/voices.ts';
import { CreateForm, TextField } from '../parts/create-form.tsx';

/** Clones a voice from a recording. */
export function CloneForm() {
  const [url, setUrl] = useState('https://files.example/recording.wav');
  const [text, setText] = useState('This is what I sound like.');
  const [name, setName] = useState('My own voice');
  const params = { audio_url: url, text, display_name: name };
  return (
    <CreateForm
      main={{ type: 'url', label: 'Public URL of the recording', value: url, onChange: setUrl }}
      action="Clone"
      price={estimate.voiceClone({ previewText: text })}
      call={{ kind: 'voice-clone', params }}
      onSubmit={() => void cloneVoice(params)}
      creation={voiceCreation.value}
    >
      <TextField isOptional label="Name" value={name} onChange={setName} />
      <TextField isOptional label="Transcript" value={text} onChange={setText} />
    </CreateForm>
  );
}
