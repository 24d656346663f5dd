/** The part of WebAssembly used here; Node has it, its type definitions leave it to the DOM's. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum: number })
    readonly buffer: ArrayBuffer
  }
  interface Instance {
    readonly exports: Readonly<Record<string, unknown>>
  }
  function instantiate(
    bytes: Uint8Array<ArrayBuffer>,
    imports: Record<string, Record<string, Memory>>
  ): Promise<{ instance: Instance }>
}
