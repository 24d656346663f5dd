import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
/** Monaco's build for bundlers speaks English only; the page's own module speaks both languages. */
const editorWords: Plugin = {
  name: 'editor-words',
  enforce: 'pre',
  resolveId: (source, importer) =>
    /\/nls\.js$/.test(source) && importer?.includes('monaco-editor') === true
      ? resolve('src-renderer/editor/monaco-words.ts')
      : null
}

const alias = { '@contract': resolve('src-main/contract') }

// Formats and targets are explicit: package.json pins a current Electron, and the same bundle
// must also run on the oldest supported one (25.1, Node 18.15, Chrome 114).
export default defineConfig({
  main: {
    resolve: { alias },
    define: { __SLIPWAY_VERSION__: JSON.stringify(version) },
    build: {
      outDir: 'out/main',
      chunkSizeWarningLimit: 4000,
      target: 'node18.15',
      sourcemap: true,
      // dockerode carries native files and is loaded on first use; everything else is bundled,
      // because ESM-only packages cannot be required from a CommonJS bundle on Node 18.
      externalizeDeps: {
        exclude: ['@orpc/server', '@orpc/client', '@orpc/contract', 'zod', 'yaml', 'commander']
      },
      rolldownOptions: {
        input: {
          index: resolve('src-main/app/index.ts'),
          engine: resolve('src-main/engine/process.ts'),
          cli: resolve('src-main/cli/index.ts')
        },
        output: {
          format: 'cjs',
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          // A tenth of what the engine reads when it starts; the source map has them.
          comments: { legal: true, annotation: true, jsdoc: false }
        }
      }
    }
  },
  preload: {
    build: {
      outDir: 'out/preload',
      target: 'node18.15',
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: resolve('src-main/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].js' }
      }
    }
  },
  renderer: {
    root: resolve('src-renderer'),
    base: './',
    plugins: [editorWords, react(), tailwind()],
    resolve: { alias },
    worker: { format: 'es' },
    build: {
      outDir: resolve('out/renderer'),
      // The editor is one large chunk that loads when a recipe is opened; scripts/sizes.mjs holds the budgets.
      chunkSizeWarningLimit: 4000,
      emptyOutDir: true,
      target: 'chrome114',
      minify: true,
      rolldownOptions: { input: { index: resolve('src-renderer/index.html') } }
    }
  }
})
