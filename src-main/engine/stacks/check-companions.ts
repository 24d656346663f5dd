import type { Companion, Plan } from '../../contract/launch'
import { fail } from '../lib'
import type { Target } from '../targets'

/** Refuses, before a run is made, names that no companion can have: FailureError `companion-name`. */
export function checkCompanions(companions: readonly Companion[]): void {
  const names = new Set<string>()
  for (const { name } of companions) {
    if (!/^[\w.-]{1,64}$/.test(name) || names.has(name)) {
      fail({
        code: 'companion-name',
        where: name,
        what: {
          en: `“${name}” cannot name a companion: it names a file, and each name is used once.`,
          zh: `“${name}”不能作为伴随命令的名称：它用作文件名，且不能重复。`
        },
        remedy: { en: 'Use letters, digits, “-” and “_”.', zh: '请使用字母、数字、“-”和“_”。' }
      })
    }
    names.add(name)
  }
}

/**
 * Refuses, before a run is made, a place where a companion could not run: FailureError `companion-place` where the stack
 * has no container, `companion-image` where a container of its own has no image.
 */
export async function checkCompanionPlaces(
  companions: readonly Companion[],
  plan: Plan,
  target: Target
): Promise<void> {
  for (const { name, where, image } of companions) {
    if (where === 'process') continue
    if (plan.image === null || target.beside === undefined) {
      fail({
        code: 'companion-place',
        where: name,
        what: {
          en: 'Where the stack runs without a container, a companion can only be a process of this computer.',
          zh: '运行栈不在容器中运行时，伴随命令只能作为本机进程运行。'
        },
        remedy: {
          en: 'Let it run as a process, or choose a target with containers.',
          zh: '请让它作为进程运行，或选择支持容器的目标。'
        }
      })
    }
    if (where === 'own-container') await checkImage(name, image ?? '', plan, target)
  }
}

async function checkImage(name: string, image: string, plan: Plan, target: Target): Promise<void> {
  if (image === '') {
    fail({
      code: 'companion-image',
      where: name,
      what: {
        en: 'A companion in a container of its own needs the name of an image.',
        zh: '在独立容器中运行的伴随命令需要指定镜像名称。'
      },
      remedy: { en: 'Name an image that the target has.', zh: '请填写目标上已有的镜像名称。' }
    })
  }
  // The stack's own may still have to be made.
  if (image === plan.image || (await target.images?.find(image)) !== null) return
  fail({
    code: 'companion-image',
    where: image,
    what: {
      en: `The target has no image “${image}” for the companion “${name}”.`,
      zh: `目标上没有伴随命令“${name}”所需的镜像“${image}”。`
    },
    remedy: { en: 'Fetch or build it there first.', zh: '请先在目标上拉取或构建该镜像。' }
  })
}
