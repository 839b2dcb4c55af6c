import { render } from 'preact';

import { loadMaterials } from './state/materials.ts';
import { keepJobs } from './state/keep-jobs.ts';
import { listenToLab } from './state/lab.ts';
import { loadVoices } from './state/voices.ts';
import { watchAccount } from './state/account.ts';
import { watchTheme } from './state/theme.ts';
import { App } from './ui/shell/app.tsx';
import { Verified } from './ui/materials/verified.tsx';

watchTheme();
const root = document.querySelector('#app');
if (root !== null && location.pathname === '/verified') {
  render(<Verified />, root);
} else if (root !== null) {
  listenToLab();
  keepJobs();
  watchAccount();
  void loadVoices();
  void loadMaterials();
  render(<App />, root);
}
