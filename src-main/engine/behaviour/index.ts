export { TrialService } from './trial-service'
