import { lazy, Suspense, type ComponentProps } from 'react'

// Recharts is a third of the page's code and the first picture needs none of it.
const LazySparkline = lazy(async () => ({ default: (await import('./sparkline')).Sparkline }))

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
