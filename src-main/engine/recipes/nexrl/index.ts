export { NexrlRecipe } from './nexrl-recipe'
export { nexrlFacts, nexrlResolved } from './nexrl-facts'
export { nexrlRules } from './nexrl-rules'
