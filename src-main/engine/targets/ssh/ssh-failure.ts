import type { Text } from '../../../contract/text'
import { UnreachableError } from '../unreachable'

interface Cause {
  code: string
  seen: RegExp
  what: (to: string) => Text
  remedy: Text
  /** Command to run once; the destination is already quoted. */
  command: ((to: string) => string) | null
}

/** In the order they must be tried: ssh says several things about one trouble. */
const CAUSES: readonly Cause[] = [
  {
    code: 'ssh-host-key-changed',
    seen: /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    what: (to) => ({
      en: `${to} shows another host key than before. Nothing was sent to it.`,
      zh: `${to} 的主机密钥与之前不同。未向其发送任何内容。`
    }),
    remedy: {
      en: 'Ask whoever runs the machine whether it was installed anew. Only then remove the old key, as ssh says below.',
      zh: '请向该机器的管理者确认是否重装过系统；确认后再按下面 ssh 的提示删除旧密钥。'
    },
    command: null
  },
  {
    code: 'ssh-host-key-unknown',
    seen: /Host key verification failed|no .*host key is known/i,
    what: (to) => ({
      en: `The host key of ${to} is not known yet.`,
      zh: `尚不认识 ${to} 的主机密钥。`
    }),
    remedy: {
      en: 'Connect once in a terminal, compare the key it shows, and accept it.',
      zh: '请在终端中连接一次，核对显示的密钥并接受。'
    },
    command: (to) => `ssh ${to}`
  },
  {
    code: 'ssh-refused-key',
    seen: /Permission denied|Too many authentication failures|no such identity/i,
    what: (to) => ({
      en: `${to} does not accept this user or key.`,
      zh: `${to} 不接受此用户或密钥。`
    }),
    remedy: {
      en: 'If your key has a passphrase, give it to the agent once. Otherwise have your public key added there.',
      zh: '若密钥有口令，请先将其加入 ssh-agent；否则请让对方添加你的公钥。'
    },
    command: () => 'ssh-add'
  },
  {
    code: 'ssh-name-unknown',
    seen: /Could not resolve hostname/i,
    what: (to) => ({ en: `The name of ${to} is not known.`, zh: `无法解析 ${to} 的主机名。` }),
    remedy: {
      en: 'Check the name, your ~/.ssh/config and the VPN.',
      zh: '请检查主机名、~/.ssh/config 和 VPN。'
    },
    command: null
  },
  {
    code: 'ssh-unreachable',
    seen: /Connection refused|timed out|No route to host|Network is unreachable|banner exchange|Connection closed|kex_exchange/i,
    what: (to) => ({ en: `${to} cannot be reached by ssh.`, zh: `无法通过 ssh 连接 ${to}。` }),
    remedy: {
      en: 'Check that the machine is up, its ssh port, and the network or VPN.',
      zh: '请检查机器是否开机、ssh 端口，以及网络或 VPN。'
    },
    command: (to) => `ssh ${to}`
  }
]

const OTHER: Omit<Cause, 'seen'> = {
  code: 'ssh-failed',
  what: (to) => ({ en: `ssh to ${to} failed.`, zh: `ssh 连接 ${to} 失败。` }),
  remedy: {
    en: 'Its own words are below. Try the same in a terminal.',
    zh: 'ssh 的原话见下。请在终端中重试。'
  },
  command: (to) => `ssh ${to}`
}

/** The destination as it can be pasted into a terminal. */
function quoted(destination: string): string {
  return /^[\w@%+=:,./[\]-]+$/.test(destination)
    ? destination
    : `'${destination.replaceAll("'", `'\\''`)}'`
}

/** What ssh's own words mean. Pure. */
export function sshUnreachable(destination: string, words: string): UnreachableError {
  const cause = CAUSES.find(({ seen }) => seen.test(words)) ?? OTHER
  const to = quoted(destination)
  return new UnreachableError(
    {
      code: cause.code,
      where: destination,
      what: cause.what(destination),
      remedy: cause.remedy,
      detail: words.trim()
    },
    cause.command?.(to) ?? null
  )
}

export function sshMissing(destination: string): UnreachableError {
  return new UnreachableError(
    {
      code: 'ssh-missing',
      where: destination,
      what: { en: 'There is no ssh command on this computer.', zh: '此计算机上没有 ssh 命令。' },
      remedy: { en: 'Install the OpenSSH client.', zh: '请安装 OpenSSH 客户端。' }
    },
    'sudo apt-get install openssh-client'
  )
}
