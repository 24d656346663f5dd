export { ClusterService } from './cluster-service'
