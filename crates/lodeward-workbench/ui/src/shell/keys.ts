// Shortcuts. A screen registers its keys while it is shown; the last registered one wins.

import { preferences } from './preferences.svelte';

export interface Shortcut {
  // As in `KeyboardEvent.key`; `Control+k` for a combination, `g c` for a sequence.
  key: string;
  label: string;
  run: (event: KeyboardEvent) => void;
}

const SEQUENCE_MS = 1200;

class Keys {
  #groups: Shortcut[][] = [];
  #prefix = '';
  #prefixAt = 0;

  constructor() {
    globalThis.addEventListener?.('keydown', (event) => this.#press(event));
  }

  get all(): Shortcut[] {
    return this.#groups.flat();
  }

  register(shortcuts: Shortcut[]): () => void {
    this.#groups = [...this.#groups, shortcuts];
    return () => (this.#groups = this.#groups.filter((group) => group !== shortcuts));
  }

  #press(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing) return;
    const modifier = event.ctrlKey || event.metaKey ? 'Control+' : '';
    if (event.altKey || (modifier === '' && (isTyping(event.target) || isInDialog(event.target)))) return;
    const pressed = modifier + event.key;
    const sequence = Date.now() - this.#prefixAt < SEQUENCE_MS ? `${this.#prefix} ${pressed}` : '';
    const found = this.#find(sequence) ?? this.#find(pressed);
    this.#prefix = found ? '' : pressed;
    this.#prefixAt = Date.now();
    if (found === undefined || (!preferences.singleKeys && modifier === '' && pressed.length === 1)) return;
    event.preventDefault();
    found.run(event);
  }

  #find(key: string): Shortcut | undefined {
    if (key === '') return undefined;
    return this.#groups.findLast((group) => group.some((shortcut) => shortcut.key === key))?.find((shortcut) => shortcut.key === key);
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.dataset['editor'] !== undefined) return true;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'submit'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function isInDialog(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('dialog') !== null;
}

export const keys = new Keys();
