import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

/** Tests that start a container engine of their own: one at a time, but beside the others. */
const WITH_ENGINE = [
  'test/integration/*docker*.node.test.ts',
  'test/integration/*podman*.node.test.ts',
  'test/integration/targets-*.node.test.ts',
  'test/integration/errands.node.test.ts'
]

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { '@contract': resolve('src-main/contract') } },
  test: {
    env: { TZ: 'UTC' },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          // Fast where nothing else runs; under load a test must not fail for the time it takes.
          testTimeout: 60_000,
          include: ['test/**/*.node.test.ts'],
          exclude: ['test/integration/**', 'test/long/**', 'test/ratio/**', 'node_modules/**']
        }
      },
      {
        extends: true,
        test: {
          name: 'integration',
          environment: 'node',
          include: ['test/integration/**/*.node.test.ts'],
          exclude: [...WITH_ENGINE, 'node_modules/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false
        }
      },
      {
        extends: true,
        test: {
          name: 'containers',
          environment: 'node',
          include: WITH_ENGINE,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false
        }
      },
      {
        // Ratios of two times measured in one run: one file at a time, or they measure each other.
        extends: true,
        test: {
          name: 'ratio',
          environment: 'node',
          include: ['test/ratio/**/*.node.test.ts'],
          testTimeout: 180_000,
          fileParallelism: false
        }
      },
      {
        extends: true,
        test: {
          name: 'long',
          environment: 'node',
          include: process.env['SLIPWAY_LONG'] === '1' ? ['test/long/**/*.node.test.ts'] : [],
          testTimeout: 3_600_000,
          hookTimeout: 600_000,
          fileParallelism: false
        }
      },
      {
        extends: true,
        test: {
          name: 'dom',
          environment: 'jsdom',
          include: ['test/**/*.dom.test.{ts,tsx}'],
          testTimeout: 60_000
        }
      }
    ]
  }
})
