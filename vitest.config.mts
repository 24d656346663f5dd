import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

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
        test: { name: 'dom', environment: 'jsdom', include: ['test/**/*.dom.test.{ts,tsx}'] }
      }
    ]
  }
})
