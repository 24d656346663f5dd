import { fail, messageOf } from '../../lib'
import { statusOf } from './docker-failure'
import type { DockerConnection } from './connection'
import { LABEL } from './container-options'

/** The helper ends by itself after this long, so that nothing stays behind a crash; it is made anew when needed. */
const LIFETIME_SECONDS = 1800

/**
 * A small container that only reads: the machine's whole file system, read-only, no network, no capability but the one
 * to read what others own. It is how root-owned files, and files of a machine without ssh, are looked at.
 */
export class HelperContainer {
  private id: Promise<string> | null = null

  constructor(
    private readonly connection: DockerConnection,
    private readonly installation: string,
    /** References of images that have a shell and `chroot`, best first. */
    private readonly candidates: () => Promise<string[]>
  ) {}

  /** Id of a running helper. FailureError `helper-image-missing` when the engine has no image to make it from. */
  async running(): Promise<string> {
    const known = await this.id?.catch(() => null)
    if (known !== undefined && known !== null && (await this.isRunning(known))) return known
    this.id = this.make()
    return this.id
  }

  async dispose(): Promise<void> {
    const id = await this.id?.catch(() => null)
    if (id === undefined || id === null) return
    await this.connection
      .ask((docker) => docker.getContainer(id).remove({ force: true }))
      .catch(() => {
        // The engine is away: the helper ends by itself, and removes itself.
      })
  }

  private async isRunning(id: string): Promise<boolean> {
    try {
      const facts = await this.connection.ask((docker) => docker.getContainer(id).inspect())
      return facts.State.Running
    } catch (thrown) {
      if (statusOf(thrown) === 404) return false
      throw thrown
    }
  }

  private async image(): Promise<string> {
    for (const reference of await this.candidates()) {
      try {
        return (await this.connection.ask((docker) => docker.getImage(reference).inspect())).Id
      } catch (thrown) {
        if (statusOf(thrown) !== 404) throw thrown
      }
    }
    return fail({
      code: 'helper-image-missing',
      what: {
        en: 'Looking at files on this engine’s machine needs a small container, and no known image is there yet.',
        zh: '查看该引擎所在机器上的文件需要一个小容器，但那里还没有可用镜像。'
      },
      remedy: {
        en: 'Make the practice image on this target once; it serves for that too.',
        zh: '请先在此目标上构建一次练习镜像，它也可用于查看文件。'
      }
    })
  }

  private async make(): Promise<string> {
    const image = await this.image()
    try {
      return await this.create(image)
    } catch (thrown) {
      if (statusOf(thrown) === null) throw thrown
      return fail(
        {
          code: 'helper-not-started',
          where: image,
          what: {
            en: 'The engine did not start the small container that looks at files on its machine.',
            zh: '引擎未能启动用于查看文件的小容器。'
          },
          detail: messageOf(thrown)
        },
        thrown
      )
    }
  }

  private create(image: string): Promise<string> {
    return this.connection.ask(async (docker) => {
      const container = await docker.createContainer({
        Image: image,
        Entrypoint: ['sleep'],
        Cmd: [String(LIFETIME_SECONDS)],
        User: '0',
        Labels: { [LABEL.installation]: this.installation, [LABEL.helper]: 'files' },
        HostConfig: {
          AutoRemove: true,
          NetworkMode: 'none',
          ReadonlyRootfs: true,
          CapDrop: ['ALL'],
          CapAdd: ['DAC_READ_SEARCH', 'SYS_CHROOT'],
          SecurityOpt: ['no-new-privileges'],
          Mounts: [
            {
              Type: 'bind',
              Source: '/',
              Target: '/host',
              ReadOnly: true
            }
          ]
        }
      })
      await container.start()
      return container.id
    }, 60_000)
  }
}
