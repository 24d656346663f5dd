export { ask } from './ask'
export { TalkService } from './talk-service'
