import { keyParts } from './keys'

/** A key or chord in the registry's form, e.g. `Mod+K`. */
export function Kbd(props: { keys: string }) {
  return <kbd className="kbd">{keyParts(props.keys, navigator.platform).join(' ')}</kbd>
}
