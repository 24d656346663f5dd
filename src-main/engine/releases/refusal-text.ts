import type { Release } from '../../contract/releases'
import type { Text } from '../../contract/text'
import type { Refusal } from './rollback-verdict'

/** Why a release cannot be gone back to (or promoted), and what to do instead. `nearest`: the nearest saved release. */
export function refusalText(
  because: Refusal,
  release: Release | null,
  nearest: Release | null
): Text {
  const instead: Text =
    nearest === null
      ? { en: '', zh: '' }
      : {
          en: ` The nearest saved one is r${nearest.step}.`,
          zh: `最近的已保存版本是 r${nearest.step}。`
        }
  const name = release === null ? '' : `r${release.step}`
  switch (because) {
    case 'no-such-step':
      return { en: 'This release is not in the chain.', zh: '链中没有这个版本。' }
    case 'already-served':
      return {
        en: `${name} is what is served now; there is nothing to go back to.`,
        zh: `${name} 正在服务中，无需回滚。`
      }
    case 'held':
      return {
        en: `${name} is held and was never served. Promote it instead.`,
        zh: `${name} 处于待定状态，从未上线。请改用“提升”。`
      }
    case 'not-held':
      return {
        en: `${name} is not held. Only a pending release can be promoted; go back to it instead.`,
        zh: `${name} 不是待定版本。只有待定版本可以提升；请改用回滚。`
      }
    case 'live-weights':
      return {
        en: `${name} was live weights: they existed only in the serving engine and were never saved.${instead.en}`,
        zh: `${name} 是实时权重：只存在于推理引擎中，从未保存。${instead.zh}`
      }
    case 'nothing-published':
      return {
        en: `Step ${name} published nothing.${instead.en}`,
        zh: `${name} 这一步没有发布任何内容。${instead.zh}`
      }
    case 'no-checkpoint':
      return {
        en: `No checkpoint was kept for ${name}.${instead.en}`,
        zh: `${name} 没有保留 checkpoint。${instead.zh}`
      }
    case 'no-way':
      return {
        en: 'This stack has no way to go back: it neither serves saved releases nor exports checkpoints. Its files stay where they are.',
        zh: '该运行栈无法回滚：它既不能重新提供已保存的版本，也不导出 checkpoint。文件保持原样。'
      }
    case 'not-serving':
      return {
        en: 'The stack is not serving, and this goes through its service. Start it, then go back.',
        zh: '运行栈当前未在服务，而此操作需要通过其服务完成。请先启动再回滚。'
      }
    case 'adapter-as-files':
      return {
        en: `${name} is a LoRA adapter. It cannot be redeployed as a starting model; export it and serve base and adapter from the files.`,
        zh: `${name} 是 LoRA adapter，不能作为起始模型重新部署；请导出，并用基座模型加 adapter 文件提供服务。`
      }
    case 'export-unknown':
      return {
        en: `No saved Hugging Face export can be tied to ${name}; the stack may have deleted it to free space.${instead.en}`,
        zh: `找不到对应 ${name} 的 Hugging Face 导出；运行栈可能已为腾出空间将其删除。${instead.zh}`
      }
    case 'export-broken':
      return {
        en: `The export of ${name} is not whole on disk. Verify the checkpoint to see which files are missing.${instead.en}`,
        zh: `${name} 的导出在磁盘上不完整。请校验该 checkpoint，查看缺少哪些文件。${instead.zh}`
      }
  }
}
