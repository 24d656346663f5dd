export { TalkService, type TalkOptions } from './talk-service'
