import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Addresses in the page are relative to its <base>, which the server writes: so the same files work below any path.

export default defineConfig({
  base: './',
  plugins: [react()],
  build: { target: 'es2023', sourcemap: false, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { '/console/api': 'http://127.0.0.1:8080', '/pictures': 'http://127.0.0.1:8080' } },
});
