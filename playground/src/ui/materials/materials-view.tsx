import { isLibraryLoading, library } from '../../state/materials.ts';
import { Empty } from '../parts/empty.tsx';
import { MaterialCard } from './material-card.tsx';
import { MaterialForm } from './material-form.tsx';

/** The library of media for videos. */
export function MaterialsView() {
  return (
    <section aria-labelledby="materials-title">
      <header class="view-head">
        <h1 id="materials-title">Materials</h1>
      </header>
      <MaterialForm />
      {isLibraryLoading.value ? (
        <p class="empty">Loading …</p>
      ) : library.value.length === 0 ? (
        <Empty title="The library is empty">
          A material is a file that videos can use for two hours. If it shows a real person, that
          person must verify their identity first.
        </Empty>
      ) : (
        <ul class="gallery gallery-materials">
          {library.value.map((item) => (
            <MaterialCard key={item.material.id} item={item} />
          ))}
        </ul>
      )}
    </section>
  );
}
