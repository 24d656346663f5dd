import type { Target } from '../../src-main/engine/targets'

/** Opens each target once, as the engine's registry does, and disposes of all of them. */
export class TargetCache {
  private readonly targets = new Map<string, Promise<Target>>()

  constructor(private readonly open: (id: string, installation: string) => Promise<Target>) {}

  readonly get = (id: string, installation: string): Promise<Target> => {
    const target = this.targets.get(id) ?? this.open(id, installation)
    this.targets.set(id, target)
    return target
  }

  async dispose(): Promise<void> {
    for (const target of await Promise.all(this.targets.values())) await target.dispose()
  }
}
