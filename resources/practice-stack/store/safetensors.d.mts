export interface Tensor {
  dtype: 'F32' | 'F64'
  shape: number[]
  data: ArrayLike<number>
}
export function encodeSafetensors(
  tensors: Record<string, Tensor>,
  metadata?: Record<string, string>
): Buffer
export function decodeSafetensors(bytes: Buffer): {
  tensors: Record<string, { dtype: string; shape: number[]; data: Float64Array }>
  metadata: Record<string, string>
}
