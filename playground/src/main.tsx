import './without-eval.ts';
import { render } from 'preact';

import { watchAccount } from './state/account.ts';
import { listenToLab } from './state/lab.ts';
import { loadMaterials } from './state/materials.ts';
import { persistJobs } from './state/persist-jobs.ts';
import { watchTheme } from './state/theme.ts';
import { loadVoices } from './state/voices.ts';
import { Verified } from './ui/materials/verified.tsx';
import { App } from './ui/shell/app.tsx';

watchTheme();
const root = document.querySelector('#app');
if (root !== null && location.pathname === '/verified') {
  render(<Verified />, root);
} else if (root !== null) {
  listenToLab();
  persistJobs();
  watchAccount();
  void loadVoices();
  void loadMaterials();
  render(<App />, root);
}
