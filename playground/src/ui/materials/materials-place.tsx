import { library } from '../../state/materials.ts';
import { Empty } from '../parts/empty.tsx';
import { MaterialCard } from './material-card.tsx';
import { MaterialForm } from './material-form.tsx';

/** The library of media for videos. */
export function MaterialsPlace() {
  return (
    <section aria-labelledby="materials-title">
      <header class="place-head">
        <h1 id="materials-title">Materials</h1>
      </header>
      <MaterialForm />
      {library.value.length === 0 ? (
        <Empty title="The library is empty">
          A material is a file that films may use for two hours. With a real person in it, that
          person agrees first.
        </Empty>
      ) : (
        <ul class="gallery gallery-materials">
          {library.value.map((held) => (
            <MaterialCard key={held.material.id} held={held} />
          ))}
        </ul>
      )}
    </section>
  );
}
