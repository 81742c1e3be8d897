import './tokens.css';
import './base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { applyPreferences } from './shell/preferences.svelte';
import { noteUpdate } from './shell/update.svelte';

// A chunk of an older version is gone: the service was updated while the page was open.
window.addEventListener('vite:preloadError', (event) => {
  event.preventDefault();
  noteUpdate();
});
applyPreferences();
mount(App, { target: document.getElementById('app')! });
