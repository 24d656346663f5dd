import { Readable } from 'node:stream'
import { pack } from 'tar-stream'
import { statusOf } from '../docker/docker-failure'
import type { DockerConnection } from '../docker/connection'
import type { EngineIdentity } from '../docker/engine-probe'
import type { ImageStore } from '../target'
import { buildImage } from './build-image'
import { machineRuntime } from './machine-runtime'
import { practiceRecipe, writePracticeContext, type PracticeRecipe } from './practice-context'

/** Names of processors, by Node's: the kernel's, as Docker says them, and Go's, as Podman does. */
const ARCHITECTURES: Readonly<Record<string, readonly string[]>> = {
  x64: ['x86_64', 'amd64'],
  arm64: ['aarch64', 'arm64']
}

/** An image's name as a person writes it: Podman puts the registry in front that Docker leaves out. Pure. */
function familiarName(reference: string): string {
  return reference.replace(/^docker\.io\/(?:library\/)?/, '')
}

/** The images of one engine. `resources` is the app's resources folder. */
export function engineImages(
  connection: DockerConnection,
  identity: EngineIdentity,
  resources: string
): ImageStore {
  async function practice(): Promise<PracticeRecipe> {
    const { system, architecture } = await identity.known()
    const same =
      process.platform === 'linux' &&
      system === 'linux' &&
      architecture !== null &&
      ARCHITECTURES[process.arch]?.includes(architecture) === true
    return practiceRecipe(resources, same ? await machineRuntime() : null)
  }

  async function find(reference: string): Promise<string | null> {
    try {
      return (await connection.ask((docker) => docker.getImage(reference).inspect())).Id
    } catch (thrown) {
      if (statusOf(thrown) === 404) return null
      throw thrown
    }
  }

  return {
    find,
    async list() {
      const images = await connection.ask((docker) => docker.listImages())
      return images
        .flatMap(({ RepoTags, Id, Size, Created }) =>
          (RepoTags ?? []).map((reference) => ({
            reference: familiarName(reference),
            id: Id,
            bytes: Size,
            created: Created * 1000
          }))
        )
        .filter(({ reference }) => reference !== '<none>:<none>')
    },
    practiceReference: async () => (await practice()).reference,
    async buildPractice({ log, signal }) {
      const recipe = await practice()
      const { reference } = recipe
      const present = await find(reference)
      if (present !== null) return { reference, id: present }
      const archive = pack()
      const context = Readable.from(archive)
      // Its failure destroys the archive, so the build ends with it; awaited for the sake of the cause.
      const written = writePracticeContext(archive, recipe)
      written.catch(() => {})
      const id = await buildImage(connection, { reference, context, log, signal })
      await written
      return { reference, id }
    }
  }
}
