export { NexrlFields } from './nexrl-fields'
export { VariablesList } from './variables-list'
