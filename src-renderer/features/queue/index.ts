export { QueueEntry } from './queue-entry'
