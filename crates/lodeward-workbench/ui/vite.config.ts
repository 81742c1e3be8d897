import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The service that `make ui-dev` uses. It accepts changes only from its own origin.
const service = process.env.LODEWARD_URL ?? 'http://127.0.0.1:7474';
const proxied = ['/api', '/sparql', '/update', '/store', '/health', '/ready', '/metrics'];

export default defineConfig({
  // Relative, for any path prefix.
  base: './',
  plugins: [svelte()],
  server: { proxy: Object.fromEntries(proxied.map((path) => [path, { target: service, changeOrigin: true, headers: { origin: service } }])) },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    // Data URLs are not allowed by the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    cssCodeSplit: true,
    reportCompressedSize: false,
    // Small files that several screens share are one file, so that a screen needs few requests.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'framework', test: /node_modules\/(svelte|openapi-fetch|esm-env)\// },
            { name: 'components', test: /src\/(components|api|live|shell\/(router|location|session|preferences|keys|pending|update)|messages|tokens|rdf)/ },
          ],
        },
      },
    },
  },
});
