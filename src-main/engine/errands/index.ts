export { ErrandService } from './errand-service'
