import type { Text } from '../../contract/text'

const t = (en: string, zh: string): Text => ({ en, zh })

/** Ways a NexRL driver is known to fail, most telling first (`nexrl/main.py`, `nexrl/utils`, `weaver/_http.py`, OmegaConf). */
export const nexrlSignatures: readonly {
  id: string
  pattern: RegExp
  cause: Text
  remedy: Text
}[] = [
  {
    id: 'nexrl-wandb-variable',
    pattern: /KeyError: '(?:WANDB_HOST|WANDB_KEY)'/,
    cause: t(
      'WANDB_HOST or WANDB_KEY is not set, and the wandb sink reads both at start.',
      '未设置 WANDB_HOST 或 WANDB_KEY，而 wandb 输出启动时需要两者。'
    ),
    remedy: t(
      'Set both, or take wandb out of logger.backend.',
      '请设置两者，或从 logger.backend 中移除 wandb。'
    )
  },
  {
    id: 'nexrl-variable',
    pattern: /Environment variable '\w+' not found/,
    cause: t(
      'The recipe takes a value from an environment variable that is not set.',
      '配方引用了未设置的环境变量。'
    ),
    remedy: t('Set the variable the line names.', '请设置该行指出的变量。')
  },
  {
    id: 'nexrl-weaver-key',
    pattern: /WEAVER_API_KEY is required but not found/,
    cause: t('There is no key for Weaver.', '没有 Weaver 密钥。'),
    remedy: t('Set WEAVER_API_KEY.', '请设置 WEAVER_API_KEY。')
  },
  {
    id: 'nexrl-weaver-package',
    pattern: /weaver package not installed/,
    cause: t('The Weaver package is not installed.', '未安装 Weaver 包。'),
    remedy: t('Install it: pip install nex-weaver', '请安装：pip install nex-weaver')
  },
  {
    id: 'nexrl-logprobs',
    pattern: /Key 'logprobs' not found in Trajectory/,
    cause: t(
      'The rollout worker stores no log-probabilities, and the trainer’s conversion needs them.',
      'rollout worker 未保存 logprobs，而 trainer 的转换需要它们。'
    ),
    remedy: t(
      'Store logprobs in extra_fields, one for each token; the bundled pig_latin worker does not.',
      '请在 extra_fields 中保存 logprobs（每个 token 一个）；自带的 pig_latin worker 没有保存。'
    )
  },
  {
    id: 'nexrl-quota',
    pattern: /WeaverAPIError: \[402\]|quota_exceeded/,
    cause: t('The quota of the Weaver account is used up.', 'Weaver 账户额度已用尽。'),
    remedy: t('Raise the quota and start again.', '请提高额度后重新启动。')
  },
  {
    id: 'nexrl-sync-failed',
    pattern: /RuntimeError: Weight synchronization failed/,
    cause: t('New weights could not be sent to the rollouts.', '无法把新权重发送给 rollout。'),
    remedy: t(
      'Look at the service’s answer before that line; the weights may have expired.',
      '请查看该行之前服务的应答；权重可能已过期。'
    )
  },
  {
    id: 'nexrl-config',
    pattern:
      /Recursive interpolation detected|Interpolation key '[^']+' not found|ConfigAttributeError/,
    cause: t('The recipe cannot be resolved.', '配方无法解析。'),
    remedy: t('The recipe check names the line.', '配方检查会指出所在行。')
  }
]
