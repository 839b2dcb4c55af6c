/** Copies the version of package.json to the other files that contain it. Runs in the folder of the package. */
import { readFileSync, writeFileSync } from 'node:fs';

const read = (path: string) => readFileSync(path, 'utf8');

const { version }: { version: string } = JSON.parse(read('package.json'));

const source = 'src/client/config/environment.ts';
writeFileSync(source, read(source).replace(/(?<=version = ')[^']+/, version));

const lock: { version: string; packages: { '': { version: string } } } = JSON.parse(
  read('package-lock.json'),
);
lock.version = version;
lock.packages[''].version = version;
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
