export { LaunchQueue } from './launch-queue'
