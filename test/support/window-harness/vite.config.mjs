import { resolve } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const root = resolve(import.meta.dirname, '../../..')

/** Builds the window with an engine in memory, to look at it in any browser. */
export const harness = defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), tailwind()],
  resolve: { alias: { '@contract': resolve(root, 'src-main/contract') } },
  build: { outDir: resolve(root, 'out/window-harness'), emptyOutDir: true, target: 'chrome114' }
})
export { harness as default }
