import { resolve } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const root = resolve(import.meta.dirname, '../../..')

/** Builds the tabs with curves and releases against an engine in memory, to look at and to measure. */
export const harness = defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), tailwind()],
  resolve: { alias: { '@contract': resolve(root, 'src-main/contract') } },
  build: {
    outDir: resolve(root, 'out/charts-harness'),
    emptyOutDir: true,
    target: 'chrome114',
    rolldownOptions: {
      input: {
        index: resolve(import.meta.dirname, 'index.html'),
        bench: resolve(import.meta.dirname, 'bench.html')
      }
    }
  }
})
export { harness as default }
