export { TalkService } from './talk-service'
