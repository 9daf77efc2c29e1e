import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Addresses in the page are relative to its <base>, which the server writes, so the same build works below any path.

/**
 * Modules that many screens share become one file: the campaign list takes 19 requests and 253 kB instead of 63 and 264
 * kB.
 */
const shared = { name: 'shared', minShareCount: 4 };

export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    target: 'es2023',
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: { output: { codeSplitting: { groups: [shared] } } },
  },
  server: { proxy: { '/console/api': 'http://127.0.0.1:8080', '/pictures': 'http://127.0.0.1:8080' } },
});
