import type { Receipt } from 'polygate';

import { parseEntry } from './entry.ts';
import type { Entry } from './entry.ts';
import { SlotStorage } from './slot-storage.ts';
import type { KeyValueStorage } from './slot-storage.ts';

/** The entry of one slot, in a storage that other tabs and the user can change at any time. */
export class EntryStorage extends SlotStorage {
  readonly #isValid: (receipt: Receipt) => boolean;

  constructor(
    slot: string | undefined,
    storage: KeyValueStorage | undefined,
    isValid: (receipt: Receipt) => boolean,
  ) {
    super(slot, storage);
    this.#isValid = isValid;
  }

  /** The stored entry; null if there is none; undefined if that is not known. */
  async readEntry(): Promise<Entry | null | undefined> {
    return this.#parse(await this.read());
  }

  /** Stores an entry in place of any other one. */
  writeEntry(entry: Entry | null): Promise<void> {
    return this.write(entry && JSON.stringify(entry));
  }

  /** Replaces the entry with this key by a newer one, or removes it. Returns false if there is none with this key. */
  async updateEntry(key: string, entry: Entry | null): Promise<boolean> {
    let isCurrent = true;
    await this.update((text) => {
      const stored = this.#parse(text);
      isCurrent = stored === undefined || stored?.key === key;
      if (!isCurrent) return undefined;
      return entry && JSON.stringify(entry);
    });
    return isCurrent;
  }

  #parse(text: string | null | undefined): Entry | null | undefined {
    if (text === null || text === undefined) return text;
    const entry = parseEntry(text, this.#isValid);
    if (!entry) this.warn(`the entry of ${this.slot} is damaged and is ignored.`);
    return entry;
  }
}
