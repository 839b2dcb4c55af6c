/** A voice that every user can use. */
export interface SystemVoice {
  id: string;
  name: string;
  language: string;
  description: string;
  /** Ids of the speech models that accept the voice. @defaultValue all speech models */
  models?: readonly string[];
}

/** The service's own voices. They are fictional, like the models. */
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
    description: 'A newsreader voice for the basic speech model only',
    models: ['echo-speech'],
  },
];
