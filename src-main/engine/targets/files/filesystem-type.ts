/** Names of the file systems people meet, by the magic number that `statfs(2)` gives (linux/magic.h). */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext4'],
  [0x01021994, 'tmpfs'],
  [0x6969, 'nfs'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x794c7630, 'overlay'],
  [0x2fc12fc1, 'zfs'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x65735546, 'fuse'],
  [0x01021997, '9p'],
  [0x0bd00bd0, 'lustre'],
  [0x47504653, 'gpfs'],
  [0x5346544e, 'ntfs'],
  [0x4d44, 'vfat'],
  [0x2011bab0, 'exfat'],
  [0x73717368, 'squashfs'],
  [0x00c36400, 'ceph'],
  [0x6a656a63, 'virtiofs']
])

/** `ext4`, `nfs`, … or the number in hex where the name is not known. Elsewhere than on Linux the numbers differ. */
export function filesystemType(magic: number, platform: NodeJS.Platform): string {
  if (platform !== 'linux') return 'unknown'
  return NAMES.get(magic >>> 0) ?? `0x${(magic >>> 0).toString(16)}`
}
