import type { CheckpointCheck } from '../../contract/checkpoints'
import { checkSidecar, openTensorFiles, type OpenSource } from '../compare'
import { FailureError } from '../lib'

/**
 * Checks an export or adapter folder: every shard of the index is there and a whole safetensors file, no tensor is missing
 * or twice, and the digests of an adapter's sidecar hold. Headers are read, not the weights; digests read their files.
 */
export async function verifyCheckpoint(open: OpenSource, path: string): Promise<CheckpointCheck> {
  const check: CheckpointCheck = { path, shards: 0, tensors: 0, bytes: 0, problems: [] }
  try {
    const files = await openTensorFiles(open, path)
    check.shards = files.shards.length
    check.tensors = files.tensors.size
    for (const { bytes } of files.tensors.values()) check.bytes += bytes
    await files.close()
  } catch (cause) {
    if (!(cause instanceof FailureError)) throw cause
    check.problems.push({ file: cause.failure.where ?? path, why: cause.failure.what })
  }
  const { check: sidecar } = await checkSidecar(open, path)
  switch (sidecar.kind) {
    case 'none':
    case 'match':
      break
    case 'mismatch':
      for (const file of sidecar.files)
        check.problems.push({
          file: `${path}/${file}`,
          why: {
            en: 'Its digest is not the one in reef-adapter.json.',
            zh: '其摘要与 reef-adapter.json 中记录的不一致。'
          }
        })
      break
    case 'unreadable':
      check.problems.push({ file: `${path}/reef-adapter.json`, why: sidecar.why })
  }
  return check
}
