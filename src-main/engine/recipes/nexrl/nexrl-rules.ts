import { NEXRL, type Rule } from '../rule'
import { nexrlCompositionRules } from './composition-rules'
import { nexrlNumberRules } from './number-rules'
import type { NexrlRecipe } from './nexrl-recipe'
import { nexrlSelfHostedRules } from './self-hosted-rules'
import { nexrlServiceRules } from './service-rules'

export const nexrlRules: readonly Rule<NexrlRecipe>[] = [
  ...nexrlCompositionRules,
  ...nexrlNumberRules,
  ...nexrlServiceRules,
  ...nexrlSelfHostedRules
].map((rule) => ({ ...rule, dialects: NEXRL }))
