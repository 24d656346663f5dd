import { join } from 'node:path'
import type { CheckoutFacts, ErrandRequest } from '../../contract/errands'
import type { Text } from '../../contract/text'
import { fail } from '../lib'
import { isSecretVariable } from '../recipes'
import { DOCKERFILE } from './checkout'

export type BuildRequest = Extract<ErrandRequest, { kind: 'build' }>

function refuse(where: string, what: Text, remedy: Text): never {
  return fail({ code: 'build-request-unreadable', where, what, remedy })
}

/** Refuses what `docker build` would misread, or what must not be in an image. FailureError. */
export function checkBuild(request: BuildRequest, facts: CheckoutFacts): void {
  if (!facts.buildable) {
    refuse(
      facts.folder,
      {
        en: 'This folder has no docker/Dockerfile.reef, so it is no Reef checkout that an image can be built from.',
        zh: '此文件夹中没有 docker/Dockerfile.reef，不能用于构建 Reef 镜像。'
      },
      { en: 'Choose the top folder of the checkout.', zh: '请选择检出目录的顶层文件夹。' }
    )
  }
  if (!/^[a-z0-9][a-z0-9._/:-]*$/.test(request.reference)) {
    refuse(
      'reference',
      {
        en: `“${request.reference}” is no name for an image.`,
        zh: `“${request.reference}”不能作为镜像名称。`
      },
      { en: 'Write name or name:tag, in lower case.', zh: '请填写小写的 名称 或 名称:标签。' }
    )
  }
  const { stage } = request
  if (stage !== undefined && !facts.stages.includes(stage)) {
    refuse(
      'stage',
      {
        en: `The Dockerfile has no stage “${stage}”.`,
        zh: `Dockerfile 中没有名为“${stage}”的阶段。`
      },
      facts.stages.length === 0
        ? { en: 'It names no stage at all: leave it out.', zh: '其中没有命名阶段：请留空。' }
        : {
            en: `It has: ${facts.stages.join(', ')}.`,
            zh: `可用阶段：${facts.stages.join('、')}。`
          }
    )
  }
  for (const { name } of request.arguments) {
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      refuse(
        'arguments',
        { en: `“${name}” is no name of a build argument.`, zh: `“${name}”不是有效的构建参数名。` },
        { en: 'Write NAME=value.', zh: '请填写 名称=值。' }
      )
    }
    if (isSecretVariable(name)) {
      refuse(
        name,
        {
          en: 'By its name this is a secret, and a build argument stays readable in the image.',
          zh: '从名称看这是一项机密，而构建参数会以可读形式留在镜像中。'
        },
        {
          en: 'Leave it out: a run hands secrets over at its start.',
          zh: '请去掉它：机密在运行启动时传入。'
        }
      )
    }
  }
}

/** `docker build` for a request that was checked; `reach`: the words that lead to the engine. */
export function buildArgv(request: BuildRequest, reach: readonly string[]): string[] {
  return [
    ...['docker', ...reach, 'build', '--file', join(request.checkout, DOCKERFILE)],
    ...['--tag', request.reference],
    ...(request.stage === undefined ? [] : ['--target', request.stage]),
    ...request.arguments.flatMap(({ name, value }) => ['--build-arg', `${name}=${value}`]),
    request.checkout
  ]
}
