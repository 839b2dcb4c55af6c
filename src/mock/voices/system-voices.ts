/** A voice that everybody may use. */
export interface SystemVoice {
  id: string;
  name: string;
  language: string;
  description: string;
  /** The speech models that accept it; all of them when it names none. */
  models?: readonly string[];
}

/** The voices of the service: made up, as the models are. */
export const systemVoices: readonly SystemVoice[] = [
  {
    id: 'calm-narrator',
    name: 'Calm Narrator',
    language: 'English',
    description: 'A warm, even voice for long texts',
  },
  {
    id: 'bright-host',
    name: 'Bright Host',
    language: 'English',
    description: 'A lively voice for shows and announcements',
  },
  {
    id: 'gentle-mandarin',
    name: 'Gentle Mandarin',
    language: 'Chinese (Mandarin)',
    description: 'A soft voice for stories',
  },
  {
    id: 'radio-tokyo',
    name: 'Radio Tokyo',
    language: 'Japanese',
    description: 'A news voice that only the basic model speaks',
    models: ['echo-speech'],
  },
];
