import { estimate } from 'polygate';
import { useState } from 'preact/hooks';

import { designVoice, voiceCreation } from '../../state/voices.ts';
import { CreateForm, TextField } from '../parts/create-form.tsx';

/** Designs a voice from a description. */
export function DesignForm() {
  const [prompt, setPrompt] = useState('A retired captain, dry and kind');
  const [previewText, setPreviewText] = useState('Welcome aboard.');
  const [name, setName] = useState('The Captain');
  const params = {
    prompt,
    preview_text: previewText,
    display_name: name,
    description: prompt,
  };
  return (
    <CreateForm
      main={{ label: 'Description of the voice', value: prompt, onChange: setPrompt }}
      action="Design"
      price={estimate.voiceDesign({ previewText })}
      call={{ kind: 'voice-design', params }}
      onSubmit={() => void designVoice(params)}
      creation={voiceCreation.value}
    >
      <TextField isOptional label="Name" value={name} onChange={setName} />
      <TextField label="Preview text" value={previewText} onChange={setPreviewText} />
    </CreateForm>
  );
}
