export { LaunchQueue, type Refused } from './launch-queue'
