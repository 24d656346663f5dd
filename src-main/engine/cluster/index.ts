export { belowOf, ClusterService } from './cluster-service'
