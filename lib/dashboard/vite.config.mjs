// Builds the dashboard: a page that loads nothing but its own files, so that a strict content security policy holds.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  base: './',
  publicDir: false,
  clearScreen: false,
  build: {
    outDir: here('../../dist/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    // `light-dark()` stays as it is: these are the first browsers that know it.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Nothing inline: the policy allows neither inline scripts nor data addresses for code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
