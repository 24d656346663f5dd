import { lazy, Suspense, type ComponentProps } from 'react'

// Recharts is a third of the page's code and the first picture needs none of it.
const LazySparkline = lazy(async () => ({ default: (await import('./sparkline')).Sparkline }))
const LazyHistogram = lazy(async () => ({ default: (await import('./histogram')).Histogram }))

/** See {@link import('./sparkline').Sparkline}; keeps its place free until it is loaded. */
export function Sparkline(props: ComponentProps<typeof LazySparkline>) {
  const { width = 96, height = 20 } = props
  return (
    <Suspense
      fallback={<span style={{ display: 'inline-block', width, height, pointerEvents: 'none' }} />}
    >
      <LazySparkline {...props} />
    </Suspense>
  )
}

/** See {@link import('./histogram').Histogram}; keeps its place free until it is loaded. */
export function Histogram(props: ComponentProps<typeof LazyHistogram>) {
  const { width = 288, height = 72 } = props
  return (
    <Suspense fallback={<div style={{ width, height }} />}>
      <LazyHistogram {...props} />
    </Suspense>
  )
}
