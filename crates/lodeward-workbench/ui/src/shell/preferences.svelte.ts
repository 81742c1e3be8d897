// What a user has set for this browser: theme, density, single keys. No secrets.

export type Theme = 'system' | 'light' | 'dark';
export type Density = 'dense' | 'wide';

interface Preferences {
  theme: Theme;
  density: Density;
  // Shortcuts of one key can be switched off (WCAG 2.1.4).
  singleKeys: boolean;
  // Pages in place of virtual lists, for screen readers.
  pagedLists: boolean;
}

const KEY = 'lodeward-preferences';
const defaults: Preferences = { theme: 'system', density: 'dense', singleKeys: true, pagedLists: false };

export const preferences: Preferences = $state({ ...defaults, ...stored<Partial<Preferences>>(KEY) });

// A value of this browser's storage, which may be unavailable or damaged.
export function stored<T>(key: string): T | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

export function store(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage, the value lasts as long as the page.
  }
}

export function setPreference<K extends keyof Preferences>(key: K, value: Preferences[K]): void {
  preferences[key] = value;
  store(KEY, preferences);
  applyPreferences();
}

export function applyPreferences(): void {
  const root = document.documentElement;
  if (preferences.theme === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = preferences.theme;
  root.dataset['density'] = preferences.density;
}
